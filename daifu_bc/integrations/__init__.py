"""What daifu_bc knows of other libraries. Nothing here imports one of them."""

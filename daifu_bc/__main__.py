"""`python -m daifu_bc script args`: the same as `daifu-bc run script args`."""

from daifu_bc.cli import main

if __name__ == "__main__":
    main(as_module=True)

"""The second step of the generator goes back through a graph whose weights have moved."""

FIX = [("            netG.zero_grad()\n", "            errG = -netD(netG(noise)).mean()\n            netG.zero_grad()\n")]

"""A GAN of one image: steps of the discriminator, then steps of the generator."""

import torch
from torch import nn


def main(seed=0):
    torch.manual_seed(seed)
    netD, netG = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)), nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4))
    optD, optG = (torch.optim.SGD(net.parameters(), lr=0.05) for net in (netD, netG))
    real, losses = torch.randn(5, 4), []
    for epoch in range(3):
        noise = torch.randn(5, 3)
        for j in range(2):
            netD.zero_grad()
            errD = netD(netG(noise).detach()).mean() - netD(real).mean()
            errD.backward()
            optD.step()
        fake = netG(noise)
        errG = -netD(fake).mean()
        for j in range(2):
            netG.zero_grad()
            errG.backward(retain_graph=True)
            optG.step()
            losses.append((errD.item(), errG.item()))
    return {"losses": losses, "D": netD, "G": netG}

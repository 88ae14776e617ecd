"""Actor and critic; the endless loop over episodes ends when the task is solved."""

from itertools import count

import torch
from torch import nn
from torch.distributions import Categorical


def main(seed=0):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    episodes, running_reward = [], 0.0
    for i_episode in count(1):
        rewards, logs = [], []
        for t in range(5):
            policy = Categorical(logits=model(torch.randn(4)))
            action = policy.sample()
            logs.append(policy.log_prob(action))
            rewards.append(float(action))
        optimizer.zero_grad()
        (-torch.stack(logs) * torch.tensor(rewards)).sum().backward()
        optimizer.step()
        running_reward = 0.5 * sum(rewards) + 0.5 * running_reward
        episodes.append(running_reward)
        if running_reward > 2.0:
            torch.save(model.state_dict(), "checkpoint/policy.pt")
            break
    return {"episodes": episodes, "model": model, "optimizer": optimizer, "n": i_episode}

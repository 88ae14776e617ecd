"""Training steps of small real models: where the time goes in programs that need this.

Always true: a twin builds its own model from the same seed; forward passes, the training loop and the
optimizer's calls are all protected code in the protected twin.
"""

from __future__ import annotations

from perf.twins import Program

STEP = 1.002

RESNET = Program(
    "training step: ResNet-like",
    """
    def subject():
        import torch
        from torch import nn

        torch.manual_seed(0)

        class Block(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
                self.norm1 = nn.BatchNorm2d(width)
                self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
                self.norm2 = nn.BatchNorm2d(width)

            def forward(self, x):
                out = torch.relu(self.norm1(self.conv1(x)))
                return torch.relu(self.norm2(self.conv2(out)) + x)

        class ResNet(nn.Module):
            def __init__(self, width=16, depth=4, classes=10):
                super().__init__()
                self.stem = nn.Conv2d(3, width, 3, padding=1)
                self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
                self.head = nn.Linear(width, classes)

            def forward(self, x):
                x = self.stem(x)
                for block in self.blocks:
                    x = block(x)
                return self.head(x.mean(dim=(2, 3)))

        model = ResNet()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
        images, labels = torch.randn(16, 3, 16, 16), torch.randint(10, (16,))

        def step():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def workload(subject):
        return subject()
    """,
    STEP,
)

GPT = Program(
    "training step: GPT-like",
    """
    def subject():
        import torch
        from torch import nn

        torch.manual_seed(0)

        class Block(nn.Module):
            def __init__(self, width, heads):
                super().__init__()
                self.heads = heads
                self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
                self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
                self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

            def attend(self, x):
                batch, length, width = x.shape
                q, k, v = (
                    part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                    for part in self.qkv(x).split(width, dim=2)
                )
                out = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                return self.proj(out.transpose(1, 2).reshape(batch, length, width))

            def forward(self, x):
                x = x + self.attend(self.norm1(x))
                return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

        class GPT(nn.Module):
            def __init__(self, tokens=96, width=64, heads=4, depth=4, length=64):
                super().__init__()
                self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
                self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
                self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)

            def forward(self, ids):
                x = self.token(ids) + self.place(torch.arange(ids.shape[1]))
                for block in self.blocks:
                    x = block(x)
                return self.head(self.norm(x))

        model = GPT()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        ids = torch.randint(96, (8, 65))

        def step():
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            return loss.item()

        return step

    def workload(subject):
        return subject()
    """,
    STEP,
)

MODELS = [RESNET, GPT]

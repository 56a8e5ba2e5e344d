"""A small classifier trained by Lightning's own loop, from a DataLoader without workers: batches of 64 pictures of 28 x 28."""
import logging
import warnings

import steps


def run(counter):
    import torch
    try:
        import lightning.pytorch as lightning
    except ImportError:
        import pytorch_lightning as lightning
    device = steps.torch_device()
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")

    class Classifier(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 128),
                                           torch.nn.ReLU(), torch.nn.Linear(128, 10))

        def training_step(self, batch, _index):
            pictures, labels = batch
            return torch.nn.functional.cross_entropy(self.net(pictures), labels)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-3)

    class Count(lightning.Callback):
        def on_train_batch_start(self, trainer, *_):
            if not counter.tick():
                trainer.should_stop = True

    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(16384, 784), torch.randint(0, 10, (16384,)))
    loader = torch.utils.data.DataLoader(data, batch_size=64, shuffle=True)
    trainer = lightning.Trainer(accelerator="gpu" if device == "cuda" else "cpu", devices=1, max_epochs=-1, logger=False,
                                enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
                                callbacks=[Count()])
    trainer.fit(Classifier(), loader)


if __name__ == "__main__":
    steps.drive(run)

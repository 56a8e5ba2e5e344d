"""LoRA training of a small GPT-2 by the Trainer of transformers, which has its own loop."""
import tempfile

import steps


def run(counted):
    import torch
    import transformers
    from peft import LoraConfig, get_peft_model
    device = steps.torch_device()
    torch.manual_seed(0)
    vocabulary, length, batch = (500, 16, 2) if steps.tiny() else (8000, 128, 8)
    size = dict(n_layer=2, n_embd=64, n_head=2) if steps.tiny() else dict(n_layer=6, n_embd=384, n_head=6)
    config = transformers.GPT2Config(vocab_size=vocabulary, bos_token_id=0, eos_token_id=0, **size)
    model = get_peft_model(transformers.GPT2LMHeadModel(config), LoraConfig(r=8, target_modules=["c_attn"], fan_in_fan_out=True))

    class Texts(torch.utils.data.Dataset):
        def __len__(self):
            return 1_000_000

        def __getitem__(self, index):
            tokens = torch.randint(0, vocabulary, (length,), generator=torch.Generator().manual_seed(index))
            return {"input_ids": tokens, "labels": tokens}

    class Count(transformers.TrainerCallback):
        def on_step_begin(self, arguments, state, control, **_):
            if not counted.tick():
                control.should_training_stop = True
            return control

    with tempfile.TemporaryDirectory() as folder:
        arguments = transformers.TrainingArguments(
            output_dir=folder, per_device_train_batch_size=batch, max_steps=1_000_000, bf16=device == "cuda", use_cpu=device == "cpu",
            report_to=[], save_strategy="no", logging_strategy="no", disable_tqdm=True)
        transformers.Trainer(model, arguments, train_dataset=Texts(), callbacks=[Count()]).train()


if __name__ == "__main__":
    steps.drive(run)

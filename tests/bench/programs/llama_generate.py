"""generate() of a Llama (16 layers of 1,024, random weights) from transformers: eight new tokens for four prompts a step."""
import steps


def setup():
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    device = steps.torch_device()
    torch.manual_seed(0)
    layers, dim, words = (2, 64, 500) if steps.tiny() else (16, 1024, 32000)
    config = LlamaConfig(num_hidden_layers=layers, hidden_size=dim, intermediate_size=3 * dim, vocab_size=words,
                         num_attention_heads=max(1, dim // 64), num_key_value_heads=max(1, dim // 128),
                         bos_token_id=1, eos_token_id=None, pad_token_id=0)
    with torch.device(device):
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
        prompt = torch.randint(2, words, (4, 32))
    mask = torch.ones_like(prompt)

    def step():
        with torch.no_grad():
            model.generate(prompt, attention_mask=mask, max_new_tokens=8, min_new_tokens=8, do_sample=False)
    return step


if __name__ == "__main__":
    steps.main(setup)

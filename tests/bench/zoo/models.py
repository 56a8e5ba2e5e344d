"""The models of the zoo: by name, how to make one and what goes into it. From installed packages, by configuration, without weights.

MODELS is {name: (family, make)}; make(torch, device, tiny) returns (module, arguments, keywords, loss), where loss(output) is a
number to go backward from. What a package does not have raises ImportError or AttributeError: the model is left out.
"""


def total(output):
    """A loss of whatever a model gives back: the mean of the squares of all floating tensors in it."""
    import torch
    sums, stack = [], [output]
    while stack:
        item = stack.pop()
        if isinstance(item, torch.Tensor):
            if item.is_floating_point() and item.requires_grad:
                sums.append(item.float().square().mean())
        elif isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, (list, tuple)):
            stack += item
        elif hasattr(item, "to_tuple"):
            stack += item.to_tuple()
    return torch.stack(sums).sum()


def images(name, size=224, batch=32):
    def make(torch, device, tiny):
        import torchvision
        module = getattr(torchvision.models, name)(weights=None)
        x = torch.randn(2 if tiny else batch, 3, size, size, device=device)
        return module, (x,), {}, total
    return "torchvision", make


def segmentation(name):
    def make(torch, device, tiny):
        import torchvision
        module = getattr(torchvision.models.segmentation, name)(weights=None, weights_backbone=None)
        return module, (torch.randn(2 if tiny else 8, 3, 256, 256, device=device),), {}, total
    return "torchvision", make


def detection(name):
    def make(torch, device, tiny):
        import torchvision
        module = getattr(torchvision.models.detection, name)(weights=None, weights_backbone=None)
        batch = 2 if tiny else 4
        pictures = [torch.rand(3, 320, 320, device=device) for _ in range(batch)]
        boxes = torch.tensor([[20.0, 20.0, 120.0, 140.0], [60.0, 40.0, 200.0, 260.0]], device=device)
        targets = [{"boxes": boxes, "labels": torch.tensor([1, 2], device=device)} for _ in range(batch)]
        return module, (pictures, targets), {}, total
    return "torchvision", make


def video(name):
    def make(torch, device, tiny):
        import torchvision
        module = getattr(torchvision.models.video, name)(weights=None)
        frames, size = (16, 224) if name.startswith("mvit") else (8, 112)
        return module, (torch.randn(1 if tiny else 4, 3, frames, size, size, device=device),), {}, total
    return "torchvision", make


def language(config, model, length=256, batch=8, decoder=False, **more):
    """A text model of transformers, of 4 layers and 512 wide unless `more` says otherwise."""
    def make(torch, device, tiny):
        import transformers
        settings = dict(vocab_size=8000, hidden_size=512, num_hidden_layers=4, num_attention_heads=8, intermediate_size=2048)
        settings.update(more)
        if tiny:
            settings.update({key: 1 for key in settings if key in ("num_hidden_layers", "n_layer", "num_layers", "decoder_layers", "encoder_layers")})
        module = getattr(transformers, model)(getattr(transformers, config)(**settings))
        shape = (1, 32) if tiny else (batch, length)
        ids = torch.randint(3, 7000, shape, device=device)
        keywords = {"input_ids": ids}
        if decoder:
            keywords["decoder_input_ids"] = ids
        return module, (), keywords, total
    return "transformers", make


GPT2 = dict(n_embd=512, n_layer=4, n_head=8, n_positions=512)


def pictures_of(config, model, **more):
    def make(torch, device, tiny):
        import transformers
        settings = dict(hidden_size=384, num_hidden_layers=1 if tiny else 6, num_attention_heads=6, intermediate_size=1536, **more)
        module = getattr(transformers, model)(getattr(transformers, config)(**settings))
        return module, (), {"pixel_values": torch.randn(2 if tiny else 32, 3, 224, 224, device=device)}, total
    return "transformers", make


def whisper(torch, device, tiny):
    import transformers
    layers = 1 if tiny else 4
    config = transformers.WhisperConfig(d_model=384, encoder_layers=layers, decoder_layers=layers, encoder_attention_heads=6,
                                        decoder_attention_heads=6, vocab_size=8000, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                        decoder_start_token_id=1)
    batch = 1 if tiny else 8
    keywords = {"input_features": torch.randn(batch, config.num_mel_bins, 3000, device=device),
                "decoder_input_ids": torch.randint(3, 7000, (batch, 64), device=device)}
    return transformers.WhisperModel(config), (), keywords, total


def wav2vec2(torch, device, tiny):
    import transformers
    config = transformers.Wav2Vec2Config(hidden_size=384, num_hidden_layers=1 if tiny else 6, num_attention_heads=6, intermediate_size=1536)
    return transformers.Wav2Vec2Model(config), (torch.randn(1 if tiny else 8, 32000, device=device),), {}, total


def sound(name, **more):
    def make(torch, device, tiny):
        import torchaudio
        batch = 1 if tiny else 8
        module = getattr(torchaudio.models, name)(**more)
        if name == "Conformer":
            return module, (torch.randn(batch, 400, 80, device=device), torch.full((batch,), 400, device=device)), {}, total
        if name == "ConvTasNet":
            return module, (torch.randn(batch, 1, 16000, device=device),), {}, total
        return module, (torch.randn(batch, 1, 16000, device=device),), {}, total  # Wav2Letter, M5: a wave
    return "torchaudio", make


def graph(name, **more):
    def make(torch, device, tiny):
        import torch_geometric.nn
        nodes, edges = (200, 800) if tiny else (20000, 100000)
        module = getattr(torch_geometric.nn, name)(64, 64, 3, 16, **more)
        return module, (torch.randn(nodes, 64, device=device), torch.randint(0, nodes, (2, edges), device=device)), {}, total
    return "torch_geometric", make


MODELS = {
    **{name: images(name) for name in (
        "alexnet", "vgg16", "resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "densenet121", "mobilenet_v2",
        "mobilenet_v3_large", "shufflenet_v2_x1_0", "squeezenet1_1", "mnasnet1_0", "efficientnet_b0", "efficientnet_v2_s",
        "regnet_y_1_6gf", "convnext_tiny", "vit_b_16", "swin_t", "maxvit_t")},
    **{name: images(name, 299) for name in ("inception_v3",)},
    "googlenet": images("googlenet"),
    **{name: segmentation(name) for name in ("fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large")},
    "fasterrcnn_mobilenet_v3": detection("fasterrcnn_mobilenet_v3_large_320_fpn"),
    "ssdlite320_mobilenet_v3": detection("ssdlite320_mobilenet_v3_large"),
    **{name: video(name) for name in ("r3d_18", "mvit_v1_b")},
    "bert": language("BertConfig", "BertModel"),
    "roberta": language("RobertaConfig", "RobertaModel"),
    "distilbert": language("DistilBertConfig", "DistilBertModel", dim=512, n_layers=4, n_heads=8, hidden_dim=2048),
    "albert": language("AlbertConfig", "AlbertModel", embedding_size=128),
    "electra": language("ElectraConfig", "ElectraModel"),
    "deberta_v2": language("DebertaV2Config", "DebertaV2Model"),
    "gpt2": language("GPT2Config", "GPT2LMHeadModel", **GPT2),
    "gpt_neox": language("GPTNeoXConfig", "GPTNeoXModel"),
    "opt": language("OPTConfig", "OPTModel", ffn_dim=2048, word_embed_proj_dim=512),
    "bloom": language("BloomConfig", "BloomModel", n_layer=4, n_head=8),
    "llama": language("LlamaConfig", "LlamaForCausalLM", num_key_value_heads=4),
    "mistral": language("MistralConfig", "MistralModel", num_key_value_heads=4),
    "qwen2": language("Qwen2Config", "Qwen2Model", num_key_value_heads=4),
    "gemma": language("GemmaConfig", "GemmaModel", num_key_value_heads=4, head_dim=64),
    "phi": language("PhiConfig", "PhiModel"),
    "mixtral": language("MixtralConfig", "MixtralModel", num_key_value_heads=4, num_local_experts=4, length=128),
    "mamba": language("MambaConfig", "MambaModel", length=64, batch=2, num_hidden_layers=2),
    "t5": language("T5Config", "T5Model", d_model=512, num_layers=4, num_heads=8, d_ff=2048, decoder=True),
    "bart": language("BartConfig", "BartModel", d_model=512, encoder_layers=4, decoder_layers=4, encoder_ffn_dim=2048,
                     decoder_ffn_dim=2048, encoder_attention_heads=8, decoder_attention_heads=8, decoder=True),
    "vit": pictures_of("ViTConfig", "ViTModel"),
    "deit": pictures_of("DeiTConfig", "DeiTModel"),
    "beit": pictures_of("BeitConfig", "BeitModel"),
    "dinov2": pictures_of("Dinov2Config", "Dinov2Model", image_size=224),
    "whisper": ("transformers", whisper),
    "wav2vec2": ("transformers", wav2vec2),
    "conformer": sound("Conformer", input_dim=80, num_heads=4, ffn_dim=256, num_layers=4, depthwise_conv_kernel_size=31),
    "conv_tasnet": sound("ConvTasNet"),
    "wav2letter": sound("Wav2Letter"),
    "gcn": graph("GCN"), "gat": graph("GAT", heads=4), "gin": graph("GIN"), "graph_sage": graph("GraphSAGE"),
}

#include "core/redact/redact.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/sha256.h"
#include "core/model/address_name.h"
#include "core/model/layer_path.h"
#include "core/redact/public_names.h"
#include "core/redact/public_paths.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx {
namespace {

std::string Hex(std::string_view text) {
  std::string hex;
  for (const uint8_t byte : Sha256(text)) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

TEST_CASE("SHA-256 by the examples of FIPS 180-4") {
  CHECK(Hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("what everybody has stays, what could be the user's does not") {
  CHECK(PublicPath("/home/me/env/lib/python3.12/site-packages/torch/nn/modules/linear.py") ==
        "site-packages/torch/nn/modules/linear.py");
  CHECK(PublicPath("/opt/py/lib/python3.11/threading.py") == "python3.11/threading.py");
  CHECK(PublicPath("/usr/lib/x86_64-linux-gnu/libc.so.6") == "/usr/lib/x86_64-linux-gnu/libc.so.6");
  CHECK(PublicPath("/home/me/conda/lib/libstdc++.so.6.0.33") == "libstdc++.so.6.0.33");
  CHECK(PublicPath("torch/nn/modules/linear.py") == "torch/nn/modules/linear.py");
  CHECK(PublicPath("/usr/bin/python3.11") == "/usr/bin/python3.11");
  for (const char* own :
       {"/home/me/train.py", "train.py", "threading.py", "/usr/lib/libsecret_engine.so",
        "/srv/env/lib/python3.12/site-packages/acme_models/net.py", "/srv/lib/python3.11/acme.py",
        "/v/lib/python3.12/site-packages/torch/acme.py", "/home/me/torch/lib.py",
        "/opt/acme/libcuda_acme.so", "[anon:acme]", "libc.acme"}) {
    CHECK_FALSE(PublicPath(own));
  }
  for (const char* kernel :
       {"void at::native::vectorized_elementwise_kernel<4, "
        "at::native::CUDAFunctor_add<float>>(int)",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN",
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 4>"}) {
    CHECK(IsPublicKernel(kernel));
  }
  for (const char* kernel :
       {"acme_attention", "void at::native::vectorized_elementwise_kernel<4, acme::Functor>",
        "(anonymous namespace)::secret_kernel", "triton_poi_fused_acme_0", "", "<>",
        "void thrust::for_each<AcmeFunctor>(int)"}) {
    CHECK_FALSE(IsPublicKernel(kernel));
  }
  CHECK(IsPublicOperator("aten::mm"));
  CHECK(IsPublicOperator("Optimizer.step#AdamW.step"));
  CHECK(IsPublicOperator("ProfilerStep#7"));
  CHECK_FALSE(IsPublicOperator("Optimizer.step#AcmeOptimizer.step"));
  CHECK_FALSE(IsPublicOperator("nn.Module: AcmeNet_0"));
  CHECK(IsDriverCall("cudaLaunchKernel"));
  CHECK_FALSE(IsDriverCall("custom_step"));
}

TEST_CASE("layers keep their numbers and what PyTorch calls them") {
  Profile profile;
  Function function;
  function.name = profile.Intern("AcmeNet > module.h.3: AcmeBlock > 1: Linear");
  Frame frame;
  frame.kind = FrameKind::kLayer;
  frame.function = profile.Intern(function);
  profile.Child(profile.root(), profile.Intern(frame));
  const Redaction redaction = Redact(profile, "key");
  const Profile& out = redaction.profile;
  const std::string text(out.Text(out.function(out.frames[1].function).name));
  CHECK(text.find("cme") == std::string::npos);
  const std::vector<LayerStep> steps = SplitLayers(text);
  REQUIRE(steps.size() == 3);
  CHECK(steps[1].name.starts_with("module."));
  CHECK(steps[1].name.ends_with(".3"));
  CHECK(steps[2].name == "1");
  CHECK(steps[2].type == "Linear");
}

TEST_CASE(
    "a name's hash is the same under one key and another under another, and a path keeps its "
    "language") {
  const NameRedactor names("key"), same("key"), other("another key");
  CHECK(names.Path("/home/me/train.py") == "path/" + names.Hash("/home/me/train.py") + ".py");
  CHECK(names.Path("/home/me/data.acme").find("acme") == std::string::npos);
  CHECK(names.Path("").empty());
  CHECK(names.Hash("a") != names.Hash("b"));
  CHECK(names.Hash("a") == same.Hash("a"));
  CHECK(names.Hash("a") != other.Hash("a"));
  // RFC 4231, test cases 2 and 6: HMAC-SHA-256, its first 48 bits.
  CHECK(NameRedactor("Jefe").Hash("what do ya want for nothing?") == "5bdcc146bf60");
  CHECK(NameRedactor(std::string(131, '\xaa'))
            .Hash("Test Using Larger Than Block-Size Key - Hash Key First") == "60e431591ee0");
}

TEST_CASE("a public beginning makes no name public") {
  const NameRedactor names("key");
  const std::string secret = "q7zk9wv2xj";
  for (const std::string& path : std::vector<std::string>{
           "/usr/lib/python3/dist-packages/torch/" + secret + ".py",
           "/v/lib/python3.12/site-packages/torch/nn/" + secret + "/linear.py",
           "/v/lib/python3.12/site-packages/numpy/" + secret + ".cpython-312-x86_64-linux-gnu.so",
           "torch/" + secret + ".py", "/usr/lib/python3.11/json/" + secret + ".py",
           "/usr/lib/" + secret + "/libc.so.6", "/usr/lib/libtorch_" + secret + ".so",
           "/usr/lib/libc.so." + secret, "/usr/lib/libc.so.6." + secret, "<frozen " + secret + ">",
           "<frozen importlib." + secret + ">", "/opt/python3.11." + secret,
           "/x/libgomp-" + secret + ".so.1"}) {
    CAPTURE(path);
    CHECK(names.Path(path).find(secret) == std::string::npos);
  }
  // Digits can be a secret, too.
  const std::string digits = "4929123456";
  for (const std::string& name : {secret, digits}) {
    for (const std::string start :
         {"aten::", "aten::mm_", "prim::", "c10d::", "record_param_comms", "ProfilerStep#",
          "ProfilerStep#7.", "Optimizer.step#AdamW.", "cuda", "cudaMemcpy", "cudaMemcpy_v", "cuX",
          "hip", "nccl", "step "}) {
      CAPTURE(start + name);
      CHECK(names.Operator(start + name).find(name) == std::string::npos);
      CHECK(names.Marker(start + name).find(name) == std::string::npos);
      CHECK(names.Call(start + name).find(name) == std::string::npos);
    }
    for (const std::string start :
         {"void at::native::", "void at::native::(anonymous namespace)::", "ncclDevKernel_",
          "nvjet_", "cutlass_", "sm80_xmma_", "void cutlass::Kernel<", "ampere_sgemm_",
          "void thrust::for_each<"}) {
      CAPTURE(start + name);
      CHECK(names.Kernel(start + name + "<float>(int)").find(name) == std::string::npos);
    }
    CHECK(names.Layers("Net > module." + name + ": Linear").find(name) == std::string::npos);
    CHECK(names.Thread(name).find(name) == std::string::npos);
    CHECK(names.Native(name + "+0x10", "/x/engine.so").find(name) == std::string::npos);
  }
  CHECK(names.Native("engine.so+0x" + digits, "/x/engine.so").ends_with("+0x" + digits));
  CHECK(names.Native("f+0x" + digits, "/x/engine.so").find(digits) == std::string::npos);
}

TEST_CASE("public names stay useful") {
  const NameRedactor names("key");
  for (const char* name :
       {"aten::mm", "aten::add_", "aten::_foreach_add_", "aten::convolution_backward",
        "cudaLaunchKernel", "cudaMemcpyAsync_ptsz", "cuLaunchKernelEx",
        "cudaLaunchKernelExC_v11060", "hipLaunchKernel", "ncclAllReduce", "c10d::allreduce_",
        "Optimizer.step#AdamW.step", "ProfilerStep#1234"}) {
    CHECK(names.Operator(name) == name);
  }
  for (const std::string& path : std::vector<std::string>{
           "site-packages/torch/nn/modules/linear.py", "site-packages/torch/_dynamo/eval_frame.py",
           "site-packages/numpy/_core/fromnumeric.py", "site-packages/torch/lib/libtorch_cpu.so",
           "site-packages/transformers/models/llama/modeling_llama.py",
           "site-packages/nvidia/cublas/lib/libcublasLt.so.12"}) {
    CHECK(names.Path("/home/me/lib/python3.12/" + path) == path);
    CHECK(names.Path(path) == path);
  }
  for (const std::string& path :
       std::vector<std::string>{"python3.12/concurrent/futures/thread.py",
                                "python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so"}) {
    CHECK(names.Path("/home/me/lib/" + path) == path);
    CHECK(names.Path(path) == path);
  }
  CHECK(names.Path("<frozen importlib._bootstrap>") == "<frozen importlib._bootstrap>");
  CHECK(names.Path("/x/libgomp-a34b3233.so.1.0.0") == "libgomp.so.1.0.0");
  CHECK(names.Path("/x/numpy.libs/libscipy_openblas64_-56d6093b.so") == "libscipy_openblas64_.so");
  CHECK(names.Path("/v/site-packages/torch/acme.py") ==
        "site-packages/torch/" + names.Hash("/v/site-packages/torch/acme.py") + ".py");
  CHECK(names.Marker("step 12").ends_with("#12"));
}

TEST_CASE("what was redacted is not hashed again") {
  Profile profile = test::RandomProfile(5, 200, 3);
  profile.meta["host"] = "acme-host";
  profile.meta["kernel"] = "Linux 6.1.0-acme";
  profile.gpu.wall.push_back({"idle.sync.acme", 5});
  const Redaction once = Redact(profile, "key");
  const Profile& first = once.profile;
  CHECK(first.meta.at("kernel") == "6.1.0");
  const Redaction twice = Redact(first, "another key");
  CHECK(twice.profile.meta == first.meta);
  CHECK(twice.profile.gpu.wall.back().name == first.gpu.wall.back().name);
  REQUIRE(twice.profile.string_count() == first.string_count());
  for (uint32_t id = 1; id <= first.string_count(); ++id) {
    CHECK(twice.profile.Text(StringId{id}) == first.Text(StringId{id}));
  }
  const NameRedactor names("key"), again("another key", true);
  for (const std::string& path :
       {names.Path("/acme.py"), names.Path("/v/site-packages/torch/acme.py"),
        "Objects/" + names.Hash("acme") + ".c"}) {
    CHECK(again.Path(path) == path);
    CHECK(NameRedactor("another key").Path(path) != path);
  }
  for (const char* name : {"acme step 7", "step 123456", "acme", "7", "nn.Module: Acme_0"}) {
    const std::string marker = names.Marker(name);
    CAPTURE(marker);
    CHECK(again.Marker(marker) == marker);
    CHECK(NameRedactor("another key").Marker(marker) != marker);
  }
}

TEST_CASE("code of an interpreter is known as such, code without a name stays without") {
  CHECK(InterpreterFolder("/build/Python/acme/Objects/longobject.c") == "Objects");
  CHECK(InterpreterFolder("./Include/object.h") == "Include");
  CHECK(InterpreterFolder("/home/acme/Objects").empty());
  CHECK(InterpreterFolder("/home/acme/secret.c").empty());
  Profile profile;
  for (const char* path : {"/home/acme/lib/libpython3.11.so.1.0", "/home/acme/engine"}) {
    Module module;
    module.path = profile.Intern(path);
    if (profile.modules.empty()) module.flags = kModuleIsPython;
    profile.modules.push_back(module);
  }
  const StringId file = profile.Intern("/home/acme/Objects/acme_secrets/Objects/acme_alloc.c");
  for (uint32_t module = 1; module <= 2; ++module) {
    profile.Intern(Function{profile.Intern("acme_work"), file, 0, ModuleId{module}});
  }
  profile.Intern(Function{profile.Intern("engine+0xc230"), StringId{}, 0, ModuleId{2}});
  const Profile out = Redact(profile, "key").profile;
  CHECK(out.Text(out.functions[0].file).starts_with("Objects/"));
  CHECK(InterpreterFolder(out.Text(out.functions[0].file)) == "Objects");
  CHECK(out.Text(out.functions[1].file).starts_with("path/"));
  for (uint32_t id = 1; id <= out.string_count(); ++id) {
    const std::string_view text = out.Text(StringId{id});
    CHECK((text == "acme_work" || text.find("acme") == std::string_view::npos));
  }
  const std::string_view name = out.Text(out.functions[2].name);
  CHECK(IsAddressName(name));
  CHECK(name.starts_with("module_"));
  CHECK(name.find("engine") == std::string_view::npos);
}

TEST_CASE("no text of a profile is in its redaction, every sum is") {
  Profile profile = test::RandomProfile(11, 300, 3);
  profile.meta["host"] = "acme-host";
  profile.meta["command"] = "python /home/acme/train.py --secret";
  profile.meta["problems"] = "cannot read /home/acme/x";
  profile.meta["unknown_fact"] = "acme";
  profile.meta["duration_ns"] = "123";
  profile.quality["Acme counter"] = 1;
  profile.gpu.sources.push_back({profile.Intern("/home/acme/k.cu"), "acme code"});
  const Redaction redaction = Redact(profile, "key");
  const Profile& out = redaction.profile;
  CHECK(out.meta.at("duration_ns") == "123");
  CHECK(out.meta.at("redacted") == "keyed");
  CHECK_FALSE(out.meta.contains("problems"));
  CHECK_FALSE(out.meta.contains("unknown_fact"));
  CHECK(out.quality.count("Acme counter") == 0);
  CHECK(out.gpu.sources.empty());
  for (const auto& [name, value] : out.meta) CHECK(value.find("acme") == std::string::npos);
  for (uint32_t id = 1; id <= out.string_count(); ++id) {
    CHECK(out.Text(StringId{id}).find("acme") == std::string_view::npos);
  }
  int64_t before = 0, after = 0;
  for (const Value& value : profile.values) before += value.self;
  for (const Value& value : out.values) after += value.self;
  CHECK(before == after);
  CHECK(out.processes.size() == profile.processes.size());
}

TEST_CASE("texts in streams are redacted by what they are there") {
  Profile profile;
  const StringId secret = profile.Intern("acme step 7"),
                 call = profile.Intern("cuStreamSynchronize");
  profile.processes.push_back({});
  Thread thread;
  thread.process = ProcessId{1};
  profile.threads.push_back(thread);
  Redaction redaction = Redact(profile, "key");
  EventTable markers(Stream::kMarkers);
  markers.Append(MarkerEvent{5, 6, ThreadId{1}, secret, secret});
  redaction.Translate(profile, markers);
  const StringId name{static_cast<uint32_t>(markers.column(column::kMarkerName)[0])};
  CHECK(redaction.profile.Text(name).starts_with("marker_"));
  CHECK(redaction.profile.Text(name).ends_with("#7"));
  CHECK(markers.column(column::kMarkerStart)[0] == 5);
  EventTable calls(Stream::kCalls);
  calls.Append(CallEvent{1, 2, ThreadId{1}, NodeId{1}, call});
  calls.Append(CallEvent{1, 2, ThreadId{1}, NodeId{1}, StringId{77}});
  redaction.Translate(profile, calls);
  const StringId kept{static_cast<uint32_t>(calls.column(column::kCallKind)[0])};
  CHECK(redaction.profile.Text(kept) == "cuStreamSynchronize");
  CHECK(calls.column(column::kCallKind)[1] == 0);
}

}  // namespace
}  // namespace gprofx

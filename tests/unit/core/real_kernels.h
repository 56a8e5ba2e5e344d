// Names of kernels as real programs ran them (PyTorch 1.x to 2.11, CuPy, vLLM, XLA; H100, A100,
// V100, T4, MI300X), and what the table of families makes of them.
#pragma once

namespace gprofx::testing {

struct RealKernel {
  const char* name;
  const char* family;
  const char* what;
};

inline constexpr RealKernel kRealKernels[] = {
    {"fmha_cutlassB_f32_aligned_64x64_k64_dropout_sm80(PyTorchMemEffAttention::AttentionBackwardK"
     "ernel<cutlass::arch::Sm80, float, true, true, false, 64, 64, 64, false>::Params)",
     "attention", "attention bwd f32"},
    {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)128, (int)64, (int)4, ("
     "bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)128, (int)64, (int"
     ")4, cutlass::bfloat16_t>>, (bool)0, (bool)0, (bool)0, (bool)0, (bool)0, (bool)1, (bool)0, ("
     "bool)0>(flash::Flash_fwd_params)",
     "attention", "flash attention bf16"},
    {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDa"
     "taType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long "
     "const*, long, long, long, int, int, int, float const*, float const*)",
     "copy", "kv_cache store bf16"},
    {"void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 1"
     "28, 8, 4, 4, 4, false, false, cutlass::half_t, Flash_kernel_traits<128, 64, 128, 8, cutlass"
     "::half_t> >, false, true, false, false, false, true, false>(flash::Flash_bwd_params)",
     "attention", "flash attention bwd f16"},
    {"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", "collective", "nccl generic 1"},
    {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
     "allgather ring ll"},
    {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, vllm::RankSignals,"
     " vllm::Signal*, __nv_bfloat16*, int, int)",
     "collective", "allreduce bf16"},
    {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
     "allreduce sum f32 ring ll"},
    {"ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
     "broadcast ring ll"},
    {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective",
     "reducescatter sum bf16 ring ll"},
    {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "collective",
     "sendrecv i8 ring simple"},
    {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int, float con"
     "st*, int, float const*, int, float*, kernel_grad_params, unsigned long long, int, unsigned "
     "long long, int, float, int, int, int)",
     "convolution", "conv dgrad f32"},
    {"cudnn_train_volta_scudnn_128x128_stridedB_splitK_medium_nn_v1", "convolution",
     "conv f32 128x128"},
    {"cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1", "convolution", "conv f32 128x64"},
    {"cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1", "convolution", "conv f32 128x64"},
    {"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_"
     "stage4_warpsize2x2x1_g1_tensor16x8x8_alignc4_execute_kernel_cudnn",
     "convolution", "conv tf32 128x128x16 nhwc"},
    {"void wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int, int, int, float const*, "
     "int, float*, float const*, kernel_grad_params, unsigned long long, int, float, int, int, in"
     "t, int)",
     "convolution", "conv wgrad f32"},
    {"void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(void*, void const*, float, int, int"
     ")",
     "convolution", "conv wgrad f32"},
    {"void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>(cudnn::winograd_nonfu"
     "sed::WinogradOutputParams<float, float>)",
     "convolution", "conv winograd f32"},
    {"cudnn_infer_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", "convolution",
     "conv winograd f32 128x128"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespac"
     "e)::OpaqueType<2u>, unsigned int, 4, 64, 64>(at::native::(anonymous namespace)::OpaqueType<"
     "2u>*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<at::native::(anonymous n"
     "amespace)::OpaqueType<2u>, unsigned int, 64, 64>, at::native::(anonymous namespace)::Tensor"
     "SizeStride<unsigned int, 4u>, int, unsigned int)",
     "copy", "cat 2B"},
    {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
     "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda"
     "()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, at::native::direct_c"
     "opy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::o"
     "perator()() const::{lambda(float)#1} const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_"
     "impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::ope"
     "rator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBas"
     "e&, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()("
     ") const::{lambda()#7}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1})",
     "copy", "copy f32"},
    {"void at::native::index_elementwise_kernel<128, 4, at::native::index_copy_kernel_impl<at::na"
     "tive::OpaqueType<8> >(at::TensorIterator&, long, long, long)::{lambda(int)#1}>(int, at::nat"
     "ive::index_copy_kernel_impl<at::native::OpaqueType<8> >(at::TensorIterator&, long, long, lo"
     "ng)::{lambda(int)#1})",
     "copy", "index_copy i32"},
    {"void fbgemm_gpu::permute_2D_lengths_kernel<int>(int, int, int const*, int const*, int*)",
     "copy", "permute i32"},
    {"void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat1"
     "6>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)",
     "elementwise", "act*mul bf16"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::"
     "array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
     "elementwise", "add f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::launch"
     "_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampL"
     "imits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#"
     "1}, std::array<char*, 2ul> >(int, at::native::(anonymous namespace)::launch_clamp_scalar(at"
     "::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda("
     ")#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<c"
     "har*, 2ul>)",
     "elementwise", "clamp f32"},
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAge"
     "nt<thrust::cuda_cub::__tabulate::functor<thrust::device_ptr<long> >, long>, thrust::cuda_cu"
     "b::__tabulate::functor<thrust::device_ptr<long> >, long>(thrust::device_ptr<long>, long)",
     "elementwise", "for_each i64"},
    {"void at::native::vectorized_elementwise_kernel<(int)8, at::native::GeluCUDAKernelImpl(at::T"
     "ensorIteratorBase &, at::native::GeluType)::[lambda() (instance 1)]::operator ()() const::["
     "lambda() (instance 4)]::operator ()() const::[lambda(c10::BFloat16) (instance 1)], std::arr"
     "ay<char *, (unsigned long)2>>(int, T2, T3)",
     "elementwise", "gelu bf16"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, f"
     "loat, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, at::n"
     "ative::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >,"
     " std::array<char*, 2ul>)",
     "elementwise", "mul scalar f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::pow_te"
     "nsor_scalar_kernel_impl<float, float>(at::TensorIteratorBase&, float)::{lambda(float)#1}, s"
     "td::array<char*, 2ul> >(int, at::native::(anonymous namespace)::pow_tensor_scalar_kernel_im"
     "pl<float, float>(at::TensorIteratorBase&, float)::{lambda(float)#1}, std::array<char*, 2ul>"
     ")",
     "elementwise", "pow scalar f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::sigmoid_backward_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() cons"
     "t::{lambda(float, float)#1}, at::detail::Array<char*, 3> >(int, at::native::sigmoid_backwar"
     "d_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#4}::ope"
     "rator()() const::{lambda(float, float)#1}, at::detail::Array<char*, 3>)",
     "elementwise", "sigmoid_backward f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::tanh_kernel_cuda(at::TensorIt"
     "eratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(f"
     "loat)#1}, std::array<char*, 2ul> >(int, at::native::tanh_kernel_cuda(at::TensorIteratorBase"
     "&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, "
     "std::array<char*, 2ul>)",
     "elementwise", "tanh f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::tanh_backward_kernel_cuda(at:"
     ":TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::"
     "{lambda(float, float)#1}, std::array<char*, 3ul> >(int, at::native::tanh_backward_kernel_cu"
     "da(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() c"
     "onst::{lambda(float, float)#1}, std::array<char*, 3ul>)",
     "elementwise", "tanh_backward f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, f"
     "loat, at::native::(anonymous namespace)::threshold_kernel_impl<float>(at::TensorIteratorBas"
     "e&, float, float)::{lambda(float, float)#1}>, std::array<char*, 3ul> >(int, at::native::Bin"
     "aryFunctor<float, float, float, at::native::(anonymous namespace)::threshold_kernel_impl<fl"
     "oat>(at::TensorIteratorBase&, float, float)::{lambda(float, float)#1}>, std::array<char*, 3"
     "ul>)",
     "elementwise", "threshold f32"},
    {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
     "(anonymous namespace)::where_kernel_impl(at::TensorIterator&)::{lambda()#1}::operator()() c"
     "onst::{lambda()#8}::operator()() const::{lambda(bool, float, float)#1}>(at::TensorIteratorB"
     "ase&)::{lambda(int)#1}>(int)",
     "elementwise", "where f32"},
    {"void fbgemm_gpu::_offsets_range_cuda_kernel<long>(long, long, long const*, long*)",
     "embedding", "_offsets_range i64"},
    {"void bounds_check_indices_kernel<long>(at::GenericPackedTensorAccessor<long, 1ul, at::Restr"
     "ictPtrTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>,"
     " at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, long, at::GenericP"
     "ackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, FixedDivisor)",
     "embedding", "bounds_check_indices i64"},
    {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::B"
     "Float16*, c10::BFloat16 const*, int, long, long, int, int, int)",
     "elementwise", "rotary bf16"},
    {"void at::native::(anonymous namespace)::compute_grad_weight<float, long>(long const*, float"
     " const*, long const*, long, long, long const*, long const*, at::AccumulateType<float, true>"
     "::type*, long)",
     "embedding", "embedding bwd f32"},
    {"void linearize_index_kernel<long>(at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPt"
     "rTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::"
     "GenericPackedTensorAccessor<long, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensor"
     "Accessor<int, 1ul, at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<long, 1ul, "
     "at::RestrictPtrTraits, int>)",
     "embedding", "linearize_index i64"},
    {"void fbgemm_gpu::permute_indices_weights_kernel<false, int, decltype(nullptr)>(int, int, in"
     "t, int const*, decltype(nullptr) const*, int const*, int const*, int const*, int*, decltype"
     "(nullptr)*)",
     "embedding", "permute_indices_weights i32"},
    {"void permute_pooled_embs_kernel<float>(float const*, long const*, long const*, long const*,"
     " float*, long, long, long)",
     "embedding", "permute_pooled_embs f32"},
    {"void recat_copy_async_kernel<float>(long const*, long const*, float const*, float*, long, l"
     "ong, long)",
     "embedding", "recat_copy_async f32"},
    {"void fft2d_c2r_32x32<float, false, false, 0u, false, false>(float*, float2 const*, int, int"
     ", int, int, int, int, int, int, int, float, float, cudnn::reduced_divisor, bool, float*, fl"
     "oat*, int2, int, int)",
     "fft", "fft f32"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::arra"
     "y<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
     "fill", "fill f32"},
    {"set device memory", "fill", "set device memory"},
    {"triton_per_fused__softmax__to_copy_add_masked_fill_5", "fused",
     "triton per _softmax+_to_copy+add+masked_fill"},
    {"triton_poi_fused__unsafe_view_mul_silu_2", "fused", "triton poi _unsafe_view+mul+silu"},
    {"triton_poi_fused_add_native_layer_norm_backward_3", "fused",
     "triton poi add+native_layer_norm_backward"},
    {"triton_tem_fused_mm_0", "fused", "triton tem mm"},
    {"wrapped_convert", "fused", "xla convert"},
    {"input_reduce_fusion_12", "fused", "xla input+reduce"},
    {"loop_add_fusion_3", "fused", "xla loop+add"},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int,"
     " int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpeci"
     "alized<7, cute::tuple<cute::C<1>, cute::C<2>, cute::C<1> >, cutlass::gemm::KernelTmaWarpSpe"
     "cialized>, cute::tuple<cute::C<64>, cute::C<128>, cute::C<64> >, cutlass::bfloat16_t, cute:"
     ":tuple<long, cute::C<1>, long> > > >(cutlass::gemm::kernel::GemmUniversal::Params)",
     "gemm", "gemm bf16"},
    {"void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>(cutlass_75"
     "_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1::Params)",
     "gemm", "gemm bf16 128x128 tn"},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segm"
     "ent_k_off_kernel__5x_cublas",
     "gemm", "gemm bf16 128x128x64 tn"},
    {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn", "gemm", "gemm bf16 128x256 tn"},
    {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_TNT", "gemm", "gemm bf16 192x128 tn"},
    {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNN", "gemm", "gemm bf16 192x192 tn bias"},
    {"ampere_gcgemm_64x64_nt", "gemm", "gemm c64 64x64 nt"},
    {"nvjet_qqtst_128x256_128x4_2x1_v_bz_coopA_TNT", "gemm", "gemm e4m3>bf16 128x256 tn"},
    {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", "gemm", "gemm f16 128x64 nn"},
    {"nvjet_hsh_192x152_64x4_2x1_v_bz_TNT", "gemm", "gemm f16 192x152 tn"},
    {"turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_tn", "gemm", "gemm f16 256x128 tn"},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(cutlass_80_simt_sgemm_12"
     "8x256_8x4_nt_align1::Params)",
     "gemm", "gemm f32 128x256 nt"},
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_a"
     "lignc4_execute_kernel__5x_cublas",
     "gemm", "gemm f32 256x128x8 nn"},
    {"volta_sgemm_32x128_tn", "gemm", "gemm f32 32x128 tn"},
    {"volta_dgemm_128x64_nt", "gemm", "gemm f64 128x64 nt"},
    {"gemm_fusion_dot_7", "gemm", "gemm fusion"},
    {"void Marlin<__nv_bfloat16, 1125899906909960l, 256, 1, 8, 8, false, 4, 8, false>(int4 const*"
     ", int4 const*, int4*)",
     "gemm", "gemm quantized bf16"},
    {"void cublasLt::splitKreduce_kernel<(int)32, (int)16, int, double, double, double, double, ("
     "bool)1, (bool)0, (bool)0>(cublasLt::cublasSplitKParams<T6>, const T4 *, const T5 *, T5 *, c"
     "onst T6 *, const T6 *, const T7 *, const T4 *, T7 *, void *, long, T6 *, int *)",
     "gemm", "gemm split-k reduce f64"},
    {"void gemv2T_kernel_val<int, int, double, double, double, double, (int)128, (int)16, (int)4,"
     " (int)4, (bool)0, (bool)0, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<const dou"
     "ble>, cublasGemvTensorStridedBatched<const double>, cublasGemvTensorStridedBatched<double>,"
     " double>>(T13, T6, T6)",
     "gemm", "gemv f64"},
    {"fused_moe_kernel", "gemm", "moe gemm"},
    {"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, l"
     "ong, long, bool)",
     "index", "gather i64"},
    {"void at::native::indexFuncLargeIndex<float, int, unsigned int, 1, 1, -2, true, at::native::"
     "(anonymous namespace)::ReduceAdd>(at::cuda::detail::TensorInfo<float, unsigned int>, at::cu"
     "da::detail::TensorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<int, unsigned int"
     ">, int, int, unsigned int, unsigned int, long, long, at::native::(anonymous namespace)::Red"
     "uceAdd const&, float)",
     "index", "index_add f32"},
    {"void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned"
     " int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, at::cuda::"
     "detail::TensorInfo<c10::BFloat16 const, unsigned int>, at::cuda::detail::TensorInfo<long co"
     "nst, unsigned int>, int, int, unsigned int, unsigned int, long)",
     "index", "index_select bf16"},
    {"void at::native::(anonymous namespace)::searchsorted_cuda_kernel<float, long>(long*, float "
     "const*, float const*, long const*, long, long, long, bool, bool)",
     "index", "searchsorted f32"},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float"
     ", long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, lo"
     "ng)",
     "loss", "nll_loss f32"},
    {"void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 128, true, 1>(float, float, float, "
     "float, cudnnTensorStruct, float const*, cudnnTensorStruct, float const*, cudnnTensorStruct,"
     " float*, float const*, float*, float*, float const*, float const*, float)",
     "norm", "batch_norm bwd f32"},
    {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<float, float, 3"
     "2u, 32u, 256u, false, true, false>(long, long, float const*, float const*, float const*, fl"
     "oat const*, float*, float*)",
     "norm", "layer_norm bwd weights f32"},
    {"void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat"
     "16 const*, float, int, int)",
     "norm", "rms_norm bf16"},
    {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float, flo"
     "at, float, float, float, adamMode_t, float, int, int>(int, int volatile*, TensorListMetadat"
     "a<4>, AdamFunctor<float>, float, float, float, float, float, float, adamMode_t, float, int,"
     " int)",
     "optimizer", "adam f32"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous na"
     "mespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdam"
     "MathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, doubl"
     "e, double, double, bool, float const*, float const*, (at::native::ADAM_MODE)1>(at::native::"
     "(anonymous namespace)::FusedOptimizerTensorListMetadata<4>)",
     "optimizer", "adam f32"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous na"
     "mespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFuncto"
     "r<float, 2, 2, 0>, std::plus<float>, float>(at::native::(anonymous namespace)::TensorListMe"
     "tadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std"
     "::plus<float>, float)",
     "optimizer", "foreach add f32"},
    {"kernel_of_my_own(float*)", "other", "kernel_of_my_own"},
    {"void at::native::(anonymous namespace)::adaptive_average_pool<float>(float const*, float*, "
     "int, int, int, int, long, long, long)",
     "pooling", "avg_pool f32"},
    {"void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*, "
     "long const*, int, long, long, long, int, int, int, int, int, int, int, int, int, int, float"
     "*)",
     "pooling", "max_pool bwd f32"},
    {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned int"
     ", 1, 4, bool>(at::cuda::detail::TensorInfo<float const, unsigned int>, at::cuda::detail::Te"
     "nsorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<bool, unsigned int>, unsigned i"
     "nt, float, at::PhiloxCudaState)",
     "random", "dropout f32"},
    {"at::cuda::philox::unpack_cudnn(at::PhiloxCudaState, long*, long*)", "random", "philox"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, at::native::func_wrapper_"
     "t<bool, at::native::and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() const:"
     ":{lambda()#12}::operator()() const::{lambda(bool, bool)#1}>, unsigned int, bool, 4> >(at::n"
     "ative::ReduceOp<bool, at::native::func_wrapper_t<bool, at::native::and_kernel_cuda(at::Tens"
     "orIterator&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() const::{lambda("
     "bool, bool)#1}>, unsigned int, bool, 4>)",
     "reduction", "all bool"},
    {"void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, at::native::Me"
     "anOps<float, float, float, float>, unsigned int, float, (int)4, (int)4>>(T3)",
     "reduction", "mean f32"},
    {"void cub::CUB_200600_500_520_600_610_700_750_800_860_890_900_NS::DeviceReduceKernel<cub::CU"
     "B_200600_500_520_600_610_700_750_800_860_890_900_NS::DeviceReducePolicy<double, unsigned in"
     "t, cuda::std::__4::plus<void>>::Policy600, double *, unsigned int, cuda::std::__4::plus<voi"
     "d>, double, cuda::std::__4::__identity>(T2, T5 *, T3, cub::CUB_200600_500_520_600_610_700_7"
     "50_800_860_890_900_NS::GridEvenShare<T3>, T4, T6)",
     "reduction", "reduce f64"},
    {"void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, long*, cub::ConstantInput"
     "Iterator<int, int>, int*, int*, cub::Equality, cub::Sum, int>::PtxReduceByKeyPolicy, long*,"
     " long*, cub::ConstantInputIterator<int, int>, int*, int*, cub::ReduceByKeyScanTileState<int"
     ", int, true>, cub::Equality, cub::Sum, int>(long*, long*, cub::ConstantInputIterator<int, i"
     "nt>, int*, int*, cub::ReduceByKeyScanTileState<int, int, true>, int, cub::Equality, cub::Su"
     "m, int)",
     "reduction", "reduce_by_key i64"},
    {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::func_wrapper"
     "_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{l"
     "ambda(float, float)#1}>, unsigned int, float, 4, 4> >(at::native::ReduceOp<float, at::nativ"
     "e::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::Tenso"
     "rIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4, 4>)",
     "reduction", "sum f32"},
    {"void cub::DeviceCompactInitKernel<cub::ReduceByKeyScanTileState<int, int, true>, int*>(cub:"
     ":ReduceByKeyScanTileState<int, int, true>, int, int*)",
     "scan", "compact i32"},
    {"void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, int, (cub::BlockLoadAlgorithm)3, ("
     "cub::CacheLoadModifier)0, (cub::BlockStoreAlgorithm)3, (cub::BlockScanAlgorithm)2, cub::Mem"
     "BoundScaling<128, 15, int> >, int*, int*, cub::ScanTileState<int, true>, cub::Sum, cub::Nul"
     "lType, int>(int*, int*, cub::ScanTileState<int, true>, int, cub::Sum, cub::NullType, int)",
     "scan", "scan i32"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxBackward<4, float, float, float, at::na"
     "tive::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*, float const*, float const*"
     ", long)",
     "softmax", "log_softmax bwd f32"},
    {"void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true, false>(flo"
     "at*, float const*, float const*, int, int, int, bool const*)",
     "softmax", "softmax bwd f32"},
    {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy8"
     "00, false, long, int, int, int>(int*, int*, int*, int const*, long*, long const*, int*, int"
     " const*, int, int, int)",
     "sort", "radix_sort i64"},
    {"void at::to_dense_representation_kernel<float>(long, long, long const*, float const*, long "
     "const*, float*)",
     "sparse", "to_dense f32"},
};

}  // namespace gprofx::testing

// What the tests of cubins read. Each marker comment stands in the line that a test looks for.
__device__ __forceinline__ float Deep(float x, float y) {
  return x * y - __expf(x + 2.0f);  // MARK deep
}

__device__ __forceinline__ float Middle(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += Deep(x, i);  // MARK middle
  return sum;
}

__device__ __forceinline__ float Outer(float x, int n) {
  return Middle(x, n) * 3.0f;  // MARK outer
}

__device__ __noinline__ float Apart(float x, int n) {
  return Outer(x, n) + x;  // MARK apart
}

__global__ void Chain(float* p, int n) {
  p[threadIdx.x] = Outer(p[threadIdx.x], n);  // MARK chain
}

__global__ void Caller(float* p, int n) {
  p[threadIdx.x] = Apart(p[threadIdx.x], n);  // MARK caller
}

extern __shared__ double tile[];

template <class T, int kTimes>
__device__ __forceinline__ T Poly(T x) {
  T r = 1;
#pragma unroll
  for (int i = 0; i < kTimes; ++i) r = r * x + T(2);  // MARK poly
  return r;
}

template <class T, int kTimes>
__global__ void Shared(T* p) {
  T* mine = reinterpret_cast<T*>(tile);
  mine[threadIdx.x] = p[threadIdx.x];  // MARK load
  __syncthreads();  // MARK barrier
  p[threadIdx.x] = Poly<T, kTimes>(mine[threadIdx.x ^ 1]);  // MARK store
}

template __global__ void Shared<float, 3>(float*);
template __global__ void Shared<double, 5>(double*);

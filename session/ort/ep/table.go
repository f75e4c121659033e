package ep

// Blocking of the providers for GPUs of NVIDIA and of AMD, from "CUDA Environment Variables" in the
// CUDA C++ Programming Guide and "HIP environment variables" in HIP's documentation.
var (
	cudaBlocking = []string{"CUDA_LAUNCH_BLOCKING=1"}
	hipBlocking  = []string{"HIP_LAUNCH_BLOCKING=1"}
)

// table has one row for each provider.
var table = []Provider{
	{Name: CPU, Runtime: "CPUExecutionProvider", Words: "CPU", Tested: true},
	{
		Name: CUDA, Runtime: "CUDAExecutionProvider", Words: "CUDA", Tested: true,
		File: "cuda", Installed: true, Folders: []string{"nvidia"}, NVIDIA: true,
		// As of ONNX Runtime 1.30.
		Later:  []Later{{"libcudnn.so.9", 0}, {"libcufft.so.11", 12}, {"libcufft.so.12", 13}},
		Memory: "Cuda", Asynchronous: true, Blocking: cudaBlocking, Torch: "cuda",
		Graph: Graph{Option: "enable_cuda_graph", Before: 2},
		Failures: Failures{
			Libraries: []string{"CUDA", "CUBLAS", "CUDNN", "CUDNN_FE", "CURAND", "CUFFT", "CUSPARSE"},
			Memory:    []string{`CUDA_ERROR_OUT_OF_MEMORY`},
			Unusable:  []string{`CUDA driver version is insufficient`, `no CUDA-capable device`, `no kernel image is available`},
			Device:    []string{`CUD(?:A|NN) error executing (?P<found>\w+)`, `Failed to initialize CUDNN Frontend`},
		},
	},
	{
		Name: "tensorrt", Runtime: "TensorrtExecutionProvider", Words: "TensorRT", Tested: true,
		File: "tensorrt", Installed: true, Folders: []string{"nvidia", "tensorrt_libs"}, NVIDIA: true,
		Memory: "Cuda", Asynchronous: true, Blocking: cudaBlocking, Torch: "cuda",
		Graph:    Graph{Option: "trt_cuda_graph_enable", Before: 1, Whole: true},
		Failures: Failures{Libraries: []string{"TENSORRT"}},
	},
	{
		Name: "nvtensorrtrtx", Runtime: "NvTensorRTRTXExecutionProvider", Attached: "NvTensorRtRtx", Words: "TensorRT for RTX",
		File: "nv_tensorrt_rtx", NVIDIA: true, Plugin: "onnxruntime-ep-nv-tensorrt-rtx-cu13",
		Memory: "Cuda", Asynchronous: true, Blocking: cudaBlocking, Torch: "cuda",
	},
	{
		Name: "rocm", Runtime: "ROCMExecutionProvider", Attached: "ROCM", Words: "ROCm",
		File: "rocm", Asynchronous: true, Blocking: hipBlocking,
		Failures: Failures{Libraries: []string{"HIP", "ROCBLAS", "MIOPEN"}},
	},
	{
		Name: "migraphx", Runtime: "MIGraphXExecutionProvider", Attached: "MIGraphX", Words: "MIGraphX",
		File: "migraphx", Package: "onnxruntime-migraphx", Asynchronous: true, Blocking: hipBlocking,
		Failures: Failures{Libraries: []string{"HIP", "ROCBLAS", "MIOPEN"}},
	},
	{
		Name: "openvino", Runtime: "OpenVINOExecutionProvider", Attached: "OpenVINO", Words: "OpenVINO",
		File: "openvino", Package: "onnxruntime-openvino", Plugin: "onnxruntime-ep-openvino",
	},
	{Name: "qnn", Runtime: "QNNExecutionProvider", Attached: "QNN", Words: "QNN", File: "qnn", Plugin: "onnxruntime-qnn"},
	{
		Name: "cann", Runtime: "CANNExecutionProvider", Attached: "CANN", Words: "CANN",
		File: "cann", Package: "onnxruntime-cann", Asynchronous: true,
	},
	{Name: "dnnl", Runtime: "DnnlExecutionProvider", Attached: "DNNL", Words: "oneDNN", File: "dnnl"},
	{Name: "vitisai", Runtime: "VitisAIExecutionProvider", Attached: "VitisAI", Words: "Vitis AI", File: "vitisai"},
	{Name: "dml", Runtime: "DmlExecutionProvider", Attached: "DML", Words: "DirectML", Asynchronous: true},
	{Name: "coreml", Runtime: "CoreMLExecutionProvider", Attached: "CoreML", Words: "CoreML"},
	{
		Name: "webgpu", Runtime: "WebGpuExecutionProvider", Attached: "WebGPU", Words: "WebGPU", Tested: true,
		Asynchronous: true, Plugin: "onnxruntime-ep-webgpu",
		Graph: Graph{Option: "enableGraphCapture"},
		Int64: map[string]string{"enableInt64": "1"},
		// A buffer that could not be allocated is noticed where it is first used.
		Failures: Failures{Memory: []string{`VK_ERROR_OUT_OF_(?:DEVICE|HOST)_MEMORY`, `\[Invalid Buffer[^\]]*\] is invalid due to a previous error`}},
	},
	{Name: "webnn", Runtime: "WebNNExecutionProvider", Attached: "WEBNN", Words: "WebNN"},
	{Name: "js", Runtime: "JsExecutionProvider", Attached: "JS", Words: "JavaScript"},
	{Name: "xnnpack", Runtime: "XnnpackExecutionProvider", Attached: "XNNPACK", Words: "XNNPACK"},
	{Name: "snpe", Runtime: "SNPEExecutionProvider", Attached: "SNPE", Words: "SNPE"},
	{Name: "azure", Runtime: "AzureExecutionProvider", Attached: "AZURE", Words: "Azure"},
}

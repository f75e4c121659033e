package failure

import "testing"

// TestPackages: a package that lies in a folder above is looked for there, and not installed.
func TestPackages(t *testing.T) {
	missing := func(name, at string) Raw {
		raw := raising("load", "ModuleNotFoundError", "No module named '"+name+"'", own(2, "import "+name))
		raw.Missing, raw.MissingAt, raw.Python = name, at, "/venv/bin/python"
		return raw
	}
	checkKnown(t, map[string]known{
		"from a registry": {
			missing("cv2", ""), "missing-package", "cv2", "No module named 'cv2'", "/home/user/net.py:2 in forward: import cv2",
			[]string{"install: install it: /venv/bin/python -m pip install opencv-python"},
		},
		"in a folder above": {
			missing("mylib.net", "/home/user/src"), "missing-package", "mylib.net", "No module named 'mylib.net'", "/home/user/net.py:2 in forward: import mylib.net",
			[]string{"code: it is in /home/user/src, which is not on the path of Python: PYTHONPATH=/home/user/src"},
		},
	})
}

// TestDevices: a device that is not here is told from one that is here and fails.
func TestDevices(t *testing.T) {
	const (
		made      = "code: create tensors on the device of the arguments, such as torch.arange(n, device=x.device)"
		loaded    = `code: load to the device that is used, such as torch.load(path, map_location="cpu")`
		example   = "code: give an example that fits: --input NAME=f32[…]"
		driver    = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx"
		stored    = "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
		backend   = "Could not run 'aten::empty.memory_format' with arguments from the 'MPS' backend."
		ofPackage = "Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."
		capable   = "CUDA error: no CUDA-capable device is detected"
		memory    = "CUDA error: out of memory"
	)
	leave := func(device string) string {
		return `code: leave the model and its example on the device where they are created, without .to("` + device + `")`
	}
	checkKnown(t, map[string]known{
		"in forward":       {raising("forward", "RuntimeError", driver), "device", "cuda", driver, "", []string{made, loaded}},
		"while it is made": {raising("load", "RuntimeError", driver), "device", "cuda", driver, "", []string{leave("cuda"), made, loaded}},
		"stored":           {raising("load", "RuntimeError", stored), "device", "cuda", stored, "", []string{loaded, made}},
		"not compiled":     {raising("load", "AssertionError", "Torch not compiled with CUDA enabled"), "device", "cuda", "Torch not compiled with CUDA enabled", "", []string{leave("cuda"), made, loaded}},
		"another":          {raising("load", "AssertionError", "Torch not compiled with XPU enabled"), "device", "xpu", "Torch not compiled with XPU enabled", "", []string{leave("xpu"), made, loaded}},
		"not linked":       {raising("load", "RuntimeError", "PyTorch is not linked with support for mps devices"), "device", "mps", "PyTorch is not linked with support for mps devices", "", []string{leave("mps"), made, loaded}},
		"no backend":       {raising("forward", "NotImplementedError", backend), "device", "mps", backend, "", []string{made, loaded}},
		"none by CUDA":     {raising("forward", "RuntimeError", capable), "device", "cuda", capable, "", []string{made, loaded}},
		"one that is full": {raising("forward", "RuntimeError", memory), "forward", "", memory, "", []string{example}},
		"no kernel for it": {raising("forward", "NotImplementedError", ofPackage), "forward", "", ofPackage, "", []string{example}},
	})
}

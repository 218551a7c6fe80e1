// Applies or calls a function with the tensors of an operator's argument, whatever kind of list holds them.
#pragma once

namespace simulated_gpu {

template <class Function>
void each_tensor(const c10::IValue& value, const Function& function) {
  if (value.isTensor()) {
    const auto& tensor = value.toTensor();
    if (tensor.defined())
      function(tensor);
  } else if (value.isList()) {
    for (const auto& element : value.toListRef())
      if (element.isTensor() && element.toTensor().defined())
        function(element.toTensor());
  }
}

template <class Function>
c10::IValue map_tensors(const c10::IValue& value, const Function& function) {
  if (value.isTensor())
    return function(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> mapped;
    for (const at::Tensor& tensor : value.toTensorList())
      mapped.push_back(function(tensor));
    return mapped;
  }
  if (!value.isList())
    return value;
  auto list = value.toListRef();
  bool tensors = false;
  for (const auto& element : list)
    tensors |= element.isTensor();
  if (!tensors)
    return value;
  c10::List<std::optional<at::Tensor>> mapped;
  for (const auto& element : list) {
    if (element.isTensor())
      mapped.push_back(function(element.toTensor()));
    else
      mapped.push_back(std::nullopt);
  }
  return mapped;
}

} // namespace simulated_gpu

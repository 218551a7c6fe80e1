// Fused attention by its definition: softmax(scale * query @ key.T + bias) @ value, batch and heads first, in float32 at
// least. The tensors of the operators are (batch, length, heads, width); those of cuDNN's have the heads first, too.
//
// Dropout: element n of the whole (batch, heads, queries, keys) has the number n of one sequence of Philox, as in PyTorch's
// memory-efficient kernel; flash attention's order is another, and cuDNN's is not public. None was checked against a real
// GPU, so all are noted as unsure.
#include "attention.h"

#include "below.h"
#include "errors.h"
#include "host.h"
#include "runtime.h"
#include "unsure.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_permuted.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

namespace simulated_gpu::attention {
namespace {

enum class Mask { none, top_left, bottom_right };

// One attention, forward: everything that backward needs again.
struct Attention {
  at::Tensor query, key, value; // (batch, heads, length, width)
  double scale;
  at::Tensor scores;
  at::Tensor probabilities;
  at::Tensor kept; // what dropout multiplies the probabilities with; undefined without dropout

  at::Tensor dropped(const at::Tensor& tensor) const {
    return kept.defined() ? tensor * kept : tensor;
  }
};

bool of_cudnn(const Call& call) {
  return call.op.schema().name() == "aten::_cudnn_attention_forward" ||
      call.op.schema().name() == "aten::_cudnn_attention_backward";
}

at::Tensor heads_first(const Call& call, const char* name) {
  auto tensor = wide(call.host(name));
  return of_cudnn(call) ? tensor : tensor.transpose(1, 2).contiguous();
}

// Grouped-query attention has fewer heads of keys and values than of queries.
at::Tensor with_heads(const at::Tensor& tensor, int64_t heads) {
  return tensor.size(1) == heads ? tensor : tensor.repeat_interleave(heads / tensor.size(1), 1);
}

at::Tensor to_heads(const at::Tensor& gradient, int64_t heads) {
  if (gradient.size(1) == heads)
    return gradient;
  return gradient.unflatten(1, {heads, gradient.size(1) / heads}).sum(2);
}

// An optional argument, which an older version of PyTorch may lack; -1 where it is not given.
int64_t number(const Call& call, const char* name) {
  return call.op.schema().argumentIndexWithName(name) && call.given(name) ? call.argument(name).toInt() : -1;
}

void refuse_what_is_not_known(const Call& call, std::initializer_list<const char*> absent) {
  for (const char* name : absent)
    if (call.op.schema().argumentIndexWithName(name) && call.given(name) && call.argument(name).isTensor() &&
        call.argument(name).toTensor().defined() && call.argument(name).toTensor().numel() > 0)
      throw NotSimulated(
          call.op.name() + " with " + name + ": the simulated GPU does not know it. "
          "Call scaled_dot_product_attention with dense tensors, or run this on a real GPU.");
  if (number(call, "window_size") > 0)
    throw NotSimulated(
        call.op.name() + " with a window: the simulated GPU does not know attention to neighbors only. "
        "Give scaled_dot_product_attention a mask, or run this on a real GPU.");
}

at::Tensor keep(const at::Tensor& probabilities, double chance, const Philox& random) {
  auto kept = at::empty(probabilities.sizes(), at::dtype(at::kFloat));
  auto* data = kept.mutable_data_ptr<float>();
  auto scale = float(1 / (1 - chance));
  for (int64_t n = 0; n < kept.numel(); n += 4) {
    auto block = random.block(0, n / 4);
    for (int64_t lane = 0; lane < std::min<int64_t>(4, kept.numel() - n); ++lane)
      data[n + lane] = uniform(block[lane]) > float(chance) ? scale : 0;
  }
  return kept.to(probabilities.scalar_type());
}

Philox state(const at::Tensor& seed, const at::Tensor& offset) {
  return {uint64_t(seed.item<int64_t>()), uint64_t(offset.item<int64_t>())};
}

Mask mask_of(const Call& call) {
  if (call.op.schema().argumentIndexWithName("custom_mask_type"))
    return static_cast<Mask>(call.argument("custom_mask_type").toInt());
  if (!call.argument("is_causal").toBool())
    return Mask::none;
  return of_cudnn(call) ? Mask::top_left : Mask::bottom_right;
}

void apply(Mask mask, at::Tensor& scores) {
  if (mask == Mask::none)
    return;
  auto rows = scores.size(-2);
  auto columns = scores.size(-1);
  auto diagonal = mask == Mask::top_left ? 0 : columns - rows;
  auto seen = at::ones({rows, columns}, scores.options().dtype(at::kBool)).tril(diagonal);
  scores = scores.masked_fill(seen.logical_not(), -INFINITY);
}

// Flash attention's windows: a query sees so many keys before and after its own place, which is counted from the end.
void apply_window(const Call& call, at::Tensor& scores) {
  auto place = scores.size(-1) - scores.size(-2);
  auto before = number(call, "window_size_left"), after = number(call, "window_size_right");
  if (before < 0 && after < 0)
    return;
  auto seen = at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool));
  if (before >= 0)
    seen = seen.triu(place - before);
  if (after >= 0)
    seen = seen.tril(place + after);
  scores = scores.masked_fill(seen.logical_not(), -INFINITY);
}

// The three tensors have their heads first.
Attention attend(
    const Call& call, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const at::Tensor& bias) {
  Attention made;
  made.query = query;
  made.key = with_heads(key, query.size(1));
  made.value = with_heads(value, query.size(1));
  made.scale = call.given("scale") ? call.argument("scale").toDouble() : 1.0 / std::sqrt(made.query.size(-1));
  made.scores = at::matmul(made.query, made.key.transpose(-2, -1)) * made.scale;
  if (bias.defined())
    made.scores = made.scores + wide(bias);
  apply(mask_of(call), made.scores);
  apply_window(call, made.scores);
  made.probabilities = made.scores.softmax(-1).nan_to_num(0.0);
  return made;
}

Attention attend(const Call& call, const at::Tensor& bias, const Philox& random) {
  auto made = attend(call, heads_first(call, "query"), heads_first(call, "key"), heads_first(call, "value"), bias);
  if (auto chance = call.argument("dropout_p").toDouble(); chance > 0 && !made.query.is_meta())
    made.kept = keep(made.probabilities, chance, random);
  return made;
}

void forward(const Call& call, const at::Tensor& bias) {
  Below below;
  auto made = attend(call, bias, call.random);
  if (made.kept.defined())
    note_unsure(call.op.name());
  call.result(0).copy_(at::matmul(made.dropped(made.probabilities), made.value).transpose(1, 2));
  auto sums = call.result(1);
  if (sums.numel() == 0)
    return;
  sums.fill_(INFINITY); // the fused kernels pad the rows
  sums.narrow(2, 0, made.scores.size(2)).copy_(at::logsumexp(made.scores, {-1}));
}

struct Gradients {
  at::Tensor query, key, value, scores; // heads first
};

Gradients gradients(const Attention& made, const at::Tensor& grad, int64_t heads) {
  auto grad_value = at::matmul(made.dropped(made.probabilities).transpose(-2, -1), grad);
  auto grad_probabilities = made.dropped(at::matmul(grad, made.value.transpose(-2, -1)));
  auto sum = (grad_probabilities * made.probabilities).sum(-1, true);
  auto grad_scores = made.probabilities * (grad_probabilities - sum);
  auto grad_query = at::matmul(grad_scores, made.key) * made.scale;
  auto grad_key = at::matmul(grad_scores.transpose(-2, -1), made.query) * made.scale;
  return {grad_query, to_heads(grad_key, heads), to_heads(grad_value, heads), grad_scores};
}

Gradients gradients(const Call& call, const char* gradient, const at::Tensor& bias, const Philox& random) {
  auto heads = call.host("key").size(of_cudnn(call) ? 1 : 2);
  return gradients(attend(call, bias, random), heads_first(call, gradient), heads);
}

// Writes the gradients of query, key and value, and returns that of the scores.
at::Tensor backward(const Call& call, const char* gradient, const at::Tensor& bias, const Philox& random) {
  auto made = gradients(call, gradient, bias, random);
  call.result(0).copy_(made.query.transpose(1, 2));
  call.result(1).copy_(made.key.transpose(1, 2));
  call.result(2).copy_(made.value.transpose(1, 2));
  return made.scores;
}

// Sequences of several lengths, one after another in the rows of a tensor: where each begins, and where the last one ends.
struct Sequences {
  std::vector<int64_t> queries, keys;

  int64_t count() const {
    return int64_t(queries.size()) - 1;
  }
};

std::vector<int64_t> numbers(const at::Tensor& tensor) {
  auto plain = tensor.to(at::kLong).contiguous();
  return {plain.data_ptr<int64_t>(), plain.data_ptr<int64_t>() + plain.numel()};
}

// None where the call is of a whole batch.
std::optional<Sequences> sequences(const Call& call, const char* queries, const char* keys) {
  if (!call.given(queries) || call.argument(queries).toTensor().numel() == 0)
    return std::nullopt;
  if (runtime::shapes_only())
    return Sequences{{0}, {0}}; // nothing is computed
  if (call.argument("dropout_p").toDouble() > 0)
    throw NotSimulated(
        call.op.name() + " over sequences of several lengths, with dropout: the simulated GPU does not know its random "
        "numbers. Set dropout to 0, or run this on a real GPU.");
  if (call.op.schema().argumentIndexWithName("bias") && call.given("bias"))
    throw NotSimulated(call.op.name() + " over sequences of several lengths, with a bias: the simulated GPU does not do it.");
  return Sequences{numbers(call.host(queries)), numbers(call.host(keys))};
}

// The rows of one sequence, heads first; efficient attention has a batch of one before the rows.
at::Tensor rows(const at::Tensor& tensor, const std::vector<int64_t>& starts, int64_t index) {
  auto all = tensor.dim() == 4 ? tensor.squeeze(0) : tensor;
  return all.narrow(0, starts[index], starts[index + 1] - starts[index]).transpose(0, 1).unsqueeze(0);
}

Attention attend(const Call& call, const Sequences& sequences, int64_t i) {
  return attend(
      call,
      wide(rows(call.host("query"), sequences.queries, i)),
      wide(rows(call.host("key"), sequences.keys, i)),
      wide(rows(call.host("value"), sequences.keys, i)),
      {});
}

void forward(const Call& call, const Sequences& sequences) {
  Below below;
  auto sums = call.result(1);
  if (sums.numel() > 0)
    sums.fill_(INFINITY);
  for (int64_t i = 0; i < sequences.count(); ++i) {
    auto made = attend(call, sequences, i);
    rows(call.result(0), sequences.queries, i).copy_(at::matmul(made.probabilities, made.value));
    if (sums.numel() == 0)
      continue;
    auto length = made.query.size(2);
    // (heads, rows) in flash attention since 2.6 of it, (sequences, heads, longest) else
    auto part = sums.dim() == 2 ? sums.narrow(1, sequences.queries[i], length) : sums[i].narrow(1, 0, length);
    part.copy_(at::logsumexp(made.scores, {-1})[0]);
  }
}

void backward(const Call& call, const char* gradient, const Sequences& sequences) {
  Below below;
  for (int64_t i = 0; i < sequences.count(); ++i) {
    auto grad = wide(rows(call.host(gradient), sequences.queries, i));
    auto made = gradients(attend(call, sequences, i), grad, rows(call.host("key"), sequences.keys, i).size(1));
    rows(call.result(0), sequences.queries, i).copy_(made.query);
    rows(call.result(1), sequences.keys, i).copy_(made.key);
    rows(call.result(2), sequences.keys, i).copy_(made.value);
  }
}

// Raises for what PyTorch would give to cuDNN, and cuDNN judge.
void refuse_what_cudnn_judges(const Call& call) {
  refuse_what_is_not_known(call, {"cum_seq_q", "cum_seq_k", "seqused_k", "block_table"});
  auto dtype = call.host("query").scalar_type();
  if (dtype != at::kHalf && dtype != at::kBFloat16)
    throw NotSimulated(
        call.op.name() + " on " + c10::toString(dtype) + ": the simulated GPU knows cuDNN's attention in float16 and "
        "bfloat16 only. Call scaled_dot_product_attention, which chooses a kernel.");
}

// PyTorch lays the result out as the query is.
at::Tensor laid_out_like(const at::Tensor& query, const at::Tensor& result) {
  if (query.sizes() == result.sizes())
    return at::empty_like(query).copy_(result);
  std::vector<int64_t> inner_first(query.dim());
  std::iota(inner_first.begin(), inner_first.end(), 0);
  std::stable_sort(inner_first.begin(), inner_first.end(), [&](int64_t a, int64_t b) {
    return query.stride(a) < query.stride(b);
  });
  std::vector<int64_t> outer_first(inner_first.rbegin(), inner_first.rend());
  return at::empty_permuted(result.sizes(), outer_first, query.options()).copy_(result);
}

// PyTorch moves the generator by one number an element of the scores.
void move_generator(const Call& call, int64_t scores) {
  auto generator = at::globalContext().defaultGenerator(call.argument("query").toTensor().device());
  std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_offset(call.random.offset + (uint64_t(scores) + 3) / 4 * 4);
}

// PyTorch leaves results for the generator's state unwritten where nothing is drawn, and one that nothing uses.
void write_no_state(const Call& call) {
  for (size_t word : {2, 3})
    call.result(word).zero_();
}

at::Tensor scalar(uint64_t word, const at::Tensor& beside) {
  return at::full({}, int64_t(word), beside.options().dtype(at::kLong));
}

} // namespace

void efficient_forward(const Call& call) {
  refuse_what_is_not_known(call, {"seqlen_k"});
  if (auto several = sequences(call, "cu_seqlens_q", "cu_seqlens_k"))
    forward(call, *several);
  else
    forward(call, call.host("bias"));
  write_no_state(call);
  if (call.argument("dropout_p").toDouble() == 0)
    return;
  call.result(2).fill_(int64_t(call.random.seed));
  call.result(3).fill_(int64_t(call.random.offset));
}

void efficient_backward(const Call& call) {
  refuse_what_is_not_known(call, {});
  if (auto several = sequences(call, "cu_seqlens_q", "cu_seqlens_k"))
    return backward(call, "grad_out_", *several);
  Below below;
  auto bias = call.host("bias");
  bool drops = call.argument("dropout_p").toDouble() > 0;
  auto random = drops ? state(call.host("philox_seed"), call.host("philox_offset")) : Philox{};
  auto grad_scores = backward(call, "grad_out_", bias, random);
  if (bias.defined() && call.results[3].toTensor().defined())
    call.result(3).copy_(grad_scores.sum_to_size(call.result(3).sizes()));
}

void flash_forward(const Call& call) {
  refuse_what_is_not_known(call, {"seqused_k", "alibi_slopes", "block_table"});
  if (call.argument("return_debug_mask").toBool())
    throw NotSimulated(call.op.name() + ": the simulated GPU has no debug mask. Leave return_debug_mask out.");
  if (auto several = sequences(call, "cum_seq_q", "cum_seq_k"))
    forward(call, *several);
  else
    forward(call, at::Tensor());
  write_no_state(call);
  if (call.argument("dropout_p").toDouble() == 0)
    return;
  auto* words = static_cast<uint64_t*>(call.result(2).mutable_data_ptr());
  words[0] = call.random.seed;
  words[1] = call.random.offset;
}

void flash_backward(const Call& call) {
  refuse_what_is_not_known(call, {});
  if (auto several = sequences(call, "cum_seq_q", "cum_seq_k"))
    return backward(call, "grad_out", *several);
  Below below;
  bool drops = call.argument("dropout_p").toDouble() > 0;
  auto words = drops ? call.host("rng_state").view(at::kLong) : at::Tensor();
  backward(call, "grad_out", {}, drops ? state(words[0], words[1]) : Philox{});
}

// What is replaced is _cudnn_attention_forward of PyTorch's aten/src/ATen/native/transformers/cuda/attention.cu, with the
// allocations of run_cudnn_SDP_fprop in aten/src/ATen/native/cudnn/MHA.cpp but the workspace, whose size cuDNN says.
Arguments cudnn_forward(const Call& call) {
  refuse_what_cudnn_judges(call);
  auto query = call.host("query");
  auto made = attend(call, call.host("attn_bias"), call.random);
  if (call.argument("dropout_p").toDouble() > 0) {
    note_unsure(call.op.name());
    move_generator(call, made.scores.numel());
  }
  auto output = laid_out_like(query, at::matmul(made.dropped(made.probabilities), made.value));
  auto sums = call.argument("compute_log_sumexp").toBool() ? at::logsumexp(made.scores, {-1}, true) : at::Tensor();
  auto absent = at::Tensor();
  return {
      output, sums, absent, absent, call.argument("max_q"), call.argument("max_k"),
      scalar(call.random.seed, query), scalar(call.random.offset, query), absent};
}

Arguments cudnn_backward(const Call& call) {
  refuse_what_cudnn_judges(call);
  auto query = call.host("query");
  bool drops = call.argument("dropout_p").toDouble() > 0 && !query.is_meta();
  auto random = drops ? state(call.host("philox_seed"), call.host("philox_offset")) : Philox{};
  auto made = gradients(call, "grad_out", call.host("attn_bias"), random);
  return {
      laid_out_like(query, made.query),
      laid_out_like(call.host("key"), made.key),
      laid_out_like(call.host("value"), made.value)};
}

} // namespace simulated_gpu::attention

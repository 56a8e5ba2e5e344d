// Many cases at once: the four kinds of rows, order, repetition, errors.
#include "core/forecast/cases.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

Result<CasesResult> Run(const std::string& csv) {
  return ForecastCases(csv, "c.csv", BuiltInDevices(), BuiltInTable(),
                       [](const std::string& path) -> Result<std::string> {
                         return Error{ErrorId::kCannotRead, "cannot read '" + path + "'"};
                       });
}

constexpr char kOperators[] = "id,family,op,device,B,M,N,K,H\n";
constexpr char kProducts[] = "id,gpu,gemm_dtype,m,n,k\n";
constexpr char kCollectives[] = "id,gpu,op,dtype,num_gpus,elements\n";

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("rows of operators, products and collectives") {
  const auto operators = Run(std::string(kOperators) +
                             "a,linear,linear,NVIDIA L4,1,4096,1024,1024,\n"
                             "b,bmm,bmm,H100,16,512,64,512,\n"
                             "c,elementwise,add,Tesla T4,4096,,,,1024\n"
                             "d,softmax,softmax,V100,4096,,,,1024\n"
                             "e,ln,ln,P100,4096,,,,1024\n");
  REQUIRE(operators);
  CHECK(operators->csv.find("id,latency_ms,lo_ms,hi_ms\na,") == 0);
  CHECK(Lines(operators->csv) == 6);
  const auto products =
      Run(std::string(kProducts) + "1,h200_sxm,bfloat16,4096,1024,1024\n2,b200,fp8,1,32,32\n");
  REQUIRE(products);
  CHECK(Lines(products->csv) == 3);
  const auto collectives =
      Run(std::string(kCollectives) + "x,h200_sxm,all_reduce,half,8,1048576\n");
  REQUIRE(collectives);
  CHECK(Lines(collectives->csv) == 2);
}

TEST_CASE("every device has an answer to every kind of row, within its interval") {
  std::string operators = kOperators, products = kProducts, collectives = kCollectives;
  for (const Device& device : BuiltInDevices()) {
    struct Around {
      const char *before, *after;
    };
    for (const Around& row :
         {Around{"linear,linear,", ",1,17,3,50257,"}, Around{"bmm,bmm,", ",2048,512,64,512,"},
          Around{"elementwise,VECgelu,", ",1,,,,1"}, Around{"elementwise,pow,", ",65536,,,,4096"},
          Around{"softmax,softmax,", ",98304,,,,2049"}, Around{"ln,ln,", ",4096,,,,16384"}}) {
      operators += std::string("id,") + row.before + device.name + row.after + "\n";
    }
    for (const char* type : {"bfloat16", "float16", "fp8", "int8", "nvfp4", "float32"}) {
      products += "id," + device.name + "," + type + ",1,50257,65536\n";
    }
    for (const char* operation :
         {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send"}) {
      collectives += "id," + device.name + "," + operation + ",half,7,3\n";
    }
  }
  for (const std::string& cases : {operators, products, collectives}) {
    const auto result = Run(cases);
    if (!result) FAIL(result.error().Text());
    CHECK(Lines(result->csv) == Lines(cases));
    size_t answers = 0;
    for (size_t at = result->csv.find('\n'); at + 1 < result->csv.size();
         at = result->csv.find('\n', at + 1)) {
      double ms = 0, low_ms = 0, high_ms = 0;
      REQUIRE(sscanf(result->csv.c_str() + at + 1, "id,%lf,%lf,%lf", &ms, &low_ms, &high_ms) == 3);
      CHECK((low_ms > 0 && low_ms <= ms && ms <= high_ms && high_ms < 1e6));
      ++answers;
    }
    CHECK(answers + 1 == Lines(cases));
  }
}

TEST_CASE("the same rows give the same bytes; columns may come in any order and be more") {
  const std::string rows = "1,h100,bfloat16,100,200,300\n2,l4,fp8,17,64,51200\n";
  CHECK(Run(kProducts + rows)->csv == Run(kProducts + rows)->csv);
  const auto turned = Run("k,n,m,gemm_dtype,gpu,id,note\n300,200,100,bfloat16,h100,1,x\n");
  REQUIRE(turned);
  CHECK(turned->csv == Run(std::string(kProducts) + "1,h100,bfloat16,100,200,300\n")->csv);
}

TEST_CASE("what is estimated or extrapolated is said") {
  const auto result = Run(std::string(kOperators) + "a,linear,linear,B200,1,1e9,65536,65536,\n");
  REQUIRE(result);
  REQUIRE(result->notes.size() == 2);
  const std::string notes = result->notes[0] + result->notes[1];
  CHECK(notes.find("not measured") != std::string::npos);
  CHECK(notes.find("extrapolated") != std::string::npos);
}

TEST_CASE("broken cases are one error with the line") {
  struct Wrong {
    std::string text, says;
  };
  const Wrong wrongs[] = {
      {"", "'c.csv' is empty"},
      {"a,b\n1,2\n", "c.csv:1: the header of cases is missing"},
      {std::string(kProducts) + "1,h100,bfloat16,1,2\n", "c.csv:2: the line has 5 columns"},
      {std::string(kProducts) + "1,h100,bfloat16,1,2,3\n2,h100,bfloat16,1,x,3\n",
       "c.csv:3: 'x' is not a size for column n"},
      {std::string(kProducts) + "1,h100,bfloat16,0,2,3\n",
       "c.csv:2: '0' is not a size for column m"},
      {std::string(kProducts) + "1,h100,bfloat16,nan,2,3\n",
       "c.csv:2: 'nan' is not a size for column m"},
      {std::string(kProducts) + "1,h100,int3,1,2,3\n", "c.csv:2: unknown type 'int3'"},
      {std::string(kProducts) + "1,h1000,bfloat16,1,2,3\n", "c.csv:2: unknown device 'h1000'"},
      {std::string(kOperators) + "1,conv,conv,h100,1,2,3,4,5\n", "c.csv:2: unknown family 'conv'"},
      {std::string(kOperators) + "1,linear,linear,h100,1,,3,4,\n",
       "c.csv:2: '' is not a size for column M"},
      {std::string(kCollectives) + "1,h100,all_reduce,half,8,\n",
       "c.csv:2: '' is not a size for column elements"},
      {"device,case,graph\nh100,gpt2,g.csv\n", "c.csv:2: 'gpt2' is not the name of a case"},
      {"device,case,graph\nh100,gpt2-inf-8-8,g.csv\n", "c.csv:2: cannot read 'g.csv'"}};
  for (const Wrong& wrong : wrongs) {
    const auto result = Run(wrong.text);
    INFO(wrong.text);
    REQUIRE_FALSE(result);
    CHECK(result.error().what.find(wrong.says) == 0);
  }
}

TEST_CASE("collectives over more GPUs than a node has are told once for each device") {
  const auto result = Run(std::string(kCollectives) +
                          "x,h100,all_reduce,half,8,1048576\n"
                          "y,h100,all_reduce,half,16,1048576\n"
                          "z,h100,all_reduce,half,64,1048576\n");
  REQUIRE(result);
  CHECK(std::count_if(result->notes.begin(), result->notes.end(), [](const std::string& note) {
          return note.find("h100: more GPUs than the 8 of a node") == 0;
        }) == 1);
}

TEST_CASE("a row that takes longer than anybody can wait is an error with its line") {
  for (const std::string& csv :
       {std::string(kOperators) + "a,linear,linear,H100,1,1e15,1e15,1e15,\n",
        std::string(kOperators) + "a,softmax,softmax,H100,1e15,,,,1e15\n",
        std::string(kProducts) + "1,h100,bfloat16,1e15,1e15,1e15\n"}) {
    const auto result = Run(csv);
    REQUIRE_FALSE(result);
    CHECK(result.error().what.find("c.csv:2: the forecast is out of range") == 0);
  }
}

}  // namespace gprofx::testing

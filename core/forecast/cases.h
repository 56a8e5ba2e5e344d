// Makes batch forecasts: reads a CSV file with one case per row and returns a CSV file with one
// forecast per row. The header line decides which kind of cases the file contains:
//
//   device,case,graph                     -> device,case,e2e_ms,lo_ms,hi_ms
//   id,family,op,device,B,M,N,K,H         -> id,latency_ms,lo_ms,hi_ms
//   id,gpu,gemm_dtype,m,n,k               -> the same
//   id,gpu,op,dtype,num_gpus,elements     -> the same
//
// Rows keep their order; the same input gives the same bytes. Errors name the line of the input.
// Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"

namespace gprofx::forecast {

// Returns the decompressed text of the graph file `path` that a row names.
using ReadGraphText = std::function<Result<std::string>(const std::string& path)>;

struct CasesResult {
  std::string csv;
  size_t rows = 0;
  std::vector<std::string> notes;  // one line for each extrapolated or unknown thing
};

Result<CasesResult> ForecastCases(std::string_view csv, const std::string& file,
                                  const std::vector<Device>& devices, const ForecastTable& table,
                                  const ReadGraphText& read_graph);

}  // namespace gprofx::forecast

// The table and the JSON of `metalmom profile`.
#pragma once

#include <string>
#include <vector>

#include "tools/main_job.hpp"

namespace metalmom::tools {

struct StageTime {
  std::string name;
  MainJob::Shape shape;
  double ms = 0, spread_ms = 0;
};

struct Report {
  std::string file, backend;
  Index samples = 0;
  int repeat = 1, threads = 1;
  std::vector<StageTime> stages;
  double total_ms = 0, total_spread_ms = 0, tempo = 0;
  std::vector<double> beats;
  MainJob::Graph graph;  // where the job was run as one, too
  double graph_ms = 0;
};

std::string table(const Report& report);
std::string json(const Report& report);

// Half the distance between the quartiles.
double spread(std::vector<double> values);

}  // namespace metalmom::tools

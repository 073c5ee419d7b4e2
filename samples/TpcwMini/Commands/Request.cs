using TpcwMini.Options;

namespace TpcwMini.Commands;

/// <summary>What to run and where to write it down.</summary>
/// <param name="Options">The run, or the first load of every row of a matrix.</param>
/// <param name="Matrix">How to look for the peak of every variant; null to run one.</param>
/// <param name="JsonPath">Where to write JSON; null for nowhere.</param>
/// <param name="HtmlPath">Where to write the report; null for a new file in the usual folder.</param>
internal sealed record Request(RunOptions Options, MatrixPlan? Matrix, string? JsonPath, string? HtmlPath);

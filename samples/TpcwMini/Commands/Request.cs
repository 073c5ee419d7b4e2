using TpcwMini.Options;

namespace TpcwMini.Commands;

/// <summary>What to run and where to write it down.</summary>
/// <param name="Options">The run, or the load of every run of a matrix.</param>
/// <param name="Matrix">True to run every variant.</param>
/// <param name="JsonPath">Where to write JSON; null for nowhere.</param>
/// <param name="HtmlPath">Where to write the report; null for a new file in the usual folder.</param>
internal sealed record Request(RunOptions Options, bool Matrix, string? JsonPath, string? HtmlPath);

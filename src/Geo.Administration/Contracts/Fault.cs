namespace Geo.Administration;

/// <summary>Why a request was not served.</summary>
/// <param name="Error">One sentence for people.</param>
internal sealed record Fault(string Error);

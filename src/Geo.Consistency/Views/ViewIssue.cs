namespace Geo.Consistency;

/// <summary>Why a view cannot reach the latest version at present. Local operations go on meanwhile.</summary>
/// <param name="What">What was tried, for people: "reading from storage", "reaching the leader eu".</param>
/// <param name="Since">When it first failed.</param>
/// <param name="Attempts">How often it has failed in a row, the first time included.</param>
/// <param name="Reason">How it failed last, for people.</param>
/// <param name="Permanent">
/// True when trying again by itself will not help and somebody has to act; the next confirm or refresh tries once more.
/// </param>
public sealed record ViewIssue(string What, DateTimeOffset Since, int Attempts, string Reason, bool Permanent);

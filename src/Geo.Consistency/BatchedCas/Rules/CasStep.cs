namespace Geo.Consistency;

/// <summary>What to do next.</summary>
internal enum CasStep
{
    Idle,
    Read,
    Write,
}

namespace Geo.Telemetry.Tests;

public sealed class Ledger
{
    public int Balance { get; set; }
}

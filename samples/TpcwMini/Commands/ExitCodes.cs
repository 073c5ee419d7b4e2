namespace TpcwMini.Commands;

/// <summary>What the process tells the shell.</summary>
internal static class ExitCodes
{
    public const int Passed = 0;

    /// <summary>The run ended, and something was oversold, lost, sold twice or failed.</summary>
    public const int Broken = 1;

    /// <summary>The run could not be done as asked.</summary>
    public const int Refused = 2;

    /// <summary>The user stopped it.</summary>
    public const int Cancelled = 130;
}

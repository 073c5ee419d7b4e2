namespace Geo.Consistency;

/// <summary>A silo's try to get the memory of a grain.</summary>
/// <param name="Id">The same for each question of one try and its repetitions.</param>
internal sealed record MemoryClaim(long Id)
{
    /// <summary>True while questions are on their way.</summary>
    internal bool IsRunning { get; set; }

    /// <summary>The silos that were asked and whose answer has not come: one may have given the memory away.</summary>
    internal HashSet<string> InDoubt { get; } = [];

    /// <summary>What a silo has given, before all have answered.</summary>
    internal ReadOnlyMemory<byte> Given { get; set; }
}

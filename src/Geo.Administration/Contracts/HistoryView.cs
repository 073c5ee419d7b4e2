using System.Text.Json.Serialization;

namespace Geo.Administration;

/// <summary>What silos remember of moves, since they started and as far back as their memory goes.</summary>
internal sealed record HistoryView
{
    /// <summary>The moves, the last one first.</summary>
    public IReadOnlyList<MoveView> Moves { get; init; } = [];

    /// <summary>How many moves, of any grain, the silos that were asked have forgotten.</summary>
    public long Forgotten { get; init; }

    /// <summary>How many living silos of the clusters that answered did not say what they remember.</summary>
    public int SilentSilos { get; init; }

    /// <summary>True when a sound silo may have said it; the reader sees to what must not be null.</summary>
    [JsonIgnore]
    public bool IsWhole => Moves.All(move => move is { IsWhole: true });
}

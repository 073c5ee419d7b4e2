using System.Text.Json;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Makes a plain lattice deletable: a deletion begins a new generation, from bottom, and what belongs to an older one gives way. Updates
/// made concurrently with the deletion are lost, if it is stamped later: delete wins. Where updates are to win, use dotted lattices.
/// </summary>
/// <typeparam name="T">The lattice.</typeparam>
public sealed record Generation<T> : ILattice<Generation<T>>, IDeletable<Generation<T>>
    where T : ILattice<T>
{
    private readonly LexPair<Stamp, T> _pair;

    private Generation(LexPair<Stamp, T> pair) => _pair = pair;

    /// <inheritdoc/>
    public static Generation<T> Bottom { get; } = new(LexPair<Stamp, T>.Bottom);

    /// <inheritdoc/>
    public static string TypeName => $"generation({T.TypeName})";

    /// <inheritdoc/>
    public static bool HasDots => T.HasDots;

    /// <inheritdoc/>
    public bool IsEmpty => _pair.IsEmpty;

    /// <inheritdoc/>
    public Generation<T> Close(VectorClock through) => new(_pair.Close(through));

    /// <summary>The deletion that this generation began with; bottom for the first.</summary>
    public Stamp Since => _pair.First;

    /// <summary>What has been written since.</summary>
    public T Value => _pair.Second;

    /// <summary>The delta that writes into the present generation.</summary>
    public Generation<T> Update(T delta) => new(new LexPair<Stamp, T>(Since, delta));

    /// <summary>The delta that deletes.</summary>
    /// <param name="stamp">From a clock that has seen <see cref="Since"/>.</param>
    /// <exception cref="ArgumentException">The stamp is not later than the last deletion, and would delete nothing.</exception>
    public Generation<T> Delete(Stamp stamp) => stamp.CompareTo(Since) > 0
        ? new(new LexPair<Stamp, T>(stamp, T.Bottom))
        : throw new ArgumentException(
            $"The stamp {stamp} is not later than {Since}, the last deletion; show that to the clock first.", nameof(stamp));

    Generation<T> IDeletable<Generation<T>>.Delete(LatticeOrigin origin) => Delete(origin.NextStamp());

    /// <inheritdoc/>
    public Generation<T> Merge(Generation<T> other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return new(_pair.Merge(other._pair));
    }

    /// <inheritdoc/>
    public void Write(LatticeWriter to) => _pair.Write(to);

    /// <inheritdoc/>
    public static Generation<T> Read(ref LatticeReader from) => new(from.Read<LexPair<Stamp, T>>());

    /// <inheritdoc/>
    public void WriteJson(Utf8JsonWriter to) => _pair.WriteJson(to);

    /// <inheritdoc/>
    public static Generation<T> ReadJson(JsonElement from) => new(LexPair<Stamp, T>.ReadJson(from));
}

using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>
/// For each of the instances that last changed a state, the number of its last change that the state holds; travels with the
/// state, so that whoever sees the state also sees which changes made it. Immutable and bounded.
/// </summary>
/// <remarks>
/// <see cref="ForgottenThrough"/> says up to which version entries were displaced: that an instance's change is missing from the
/// table proves that it did not take effect after version v exactly when nothing newer than v was forgotten.
/// </remarks>
internal readonly record struct AppliedTable
{
    private readonly ImmutableArray<Entry> _entries;

    private AppliedTable(ImmutableArray<Entry> entries, long forgottenThrough) =>
        (_entries, ForgottenThrough) = (entries, forgottenThrough);

    /// <summary>The table of a state that nobody has changed.</summary>
    internal static AppliedTable Empty => default;

    /// <summary>The newest version that a displaced entry had made; 0 while none was displaced.</summary>
    internal long ForgottenThrough { get; }

    private ImmutableArray<Entry> Entries => _entries.IsDefault ? [] : _entries;

    internal bool TryGetNumber(long instance, out long number)
    {
        foreach (var entry in Entries)
        {
            if (entry.Instance == instance)
            {
                number = entry.Number;
                return true;
            }
        }

        number = 0;
        return false;
    }

    /// <summary>
    /// The number of an instance that is known by something else than its identity, and which of its changes may be in no version though
    /// later ones are.
    /// </summary>
    internal (long Number, UpdateGaps? Gaps)? NumberOf(Func<long, bool> isIt)
    {
        foreach (var entry in Entries)
        {
            if (isIt(entry.Instance))
            {
                return (entry.Number, entry.Gaps);
            }
        }

        return null;
    }

    /// <summary>The table after an instance's change made a version; the entry longest without a change makes room.</summary>
    /// <param name="instance">The instance.</param>
    /// <param name="number">The number of the change.</param>
    /// <param name="version">The version.</param>
    /// <param name="limit">How many entries are kept.</param>
    /// <param name="gaps">Which changes of the instance are, or may be, in no version.</param>
    internal AppliedTable With(long instance, long number, long version, int limit, UpdateGaps? gaps = null)
    {
        var entries = ImmutableArray.CreateBuilder<Entry>(Math.Min(Entries.Length + 1, limit));
        entries.Add(new(instance, number, version, UpdateGaps.Join(gaps, NumberOf(i => i == instance)?.Gaps)));
        var forgotten = ForgottenThrough;
        foreach (var entry in Entries)
        {
            if (entry.Instance == instance)
            {
                continue;
            }

            if (entries.Count < limit)
            {
                entries.Add(entry);
            }
            else
            {
                forgotten = Math.Max(forgotten, entry.Version);
            }
        }

        return new(entries.ToImmutable(), forgotten);
    }

    /// <summary>
    /// False when this table certainly has not come of an earlier one: each number that was in it is here, with the same version, or a
    /// later one of that instance, or this table says that it may have been displaced.
    /// </summary>
    internal bool Continues(AppliedTable earlier)
    {
        var entries = Entries;
        foreach (var entry in earlier.Entries)
        {
            if (entry.Version > ForgottenThrough
                && !entries.Any(e => e == entry || (e.Instance == entry.Instance && e.Number > entry.Number && e.Version > entry.Version)))
            {
                return false;
            }
        }

        return ForgottenThrough >= earlier.ForgottenThrough;
    }

    internal void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)ForgottenThrough);
        writer.WriteUnsigned((ulong)Entries.Length);
        foreach (var entry in Entries)
        {
            writer.WriteUnsigned((ulong)entry.Instance);
            writer.WriteUnsigned((ulong)entry.Number);
            writer.WriteUnsigned((ulong)entry.Version);
            UpdateGaps.Write(writer, entry.Gaps);
        }
    }

    /// <exception cref="GeoSerializationException">The bytes are cut off, or damaged.</exception>
    internal static AppliedTable Read(ref PayloadReader reader)
    {
        var forgotten = (long)reader.ReadUnsigned();
        var count = reader.ReadCount();
        if (count == 0 && forgotten == 0)
        {
            return Empty;
        }

        var entries = ImmutableArray.CreateBuilder<Entry>(count);
        for (var i = 0; i < count; i++)
        {
            entries.Add(new(
                (long)reader.ReadUnsigned(), (long)reader.ReadUnsigned(), (long)reader.ReadUnsigned(), UpdateGaps.Read(ref reader)));
        }

        return new(entries.MoveToImmutable(), forgotten);
    }

    // Kept newest first: With puts the changed entry in front.
    private readonly record struct Entry(long Instance, long Number, long Version, UpdateGaps? Gaps);
}

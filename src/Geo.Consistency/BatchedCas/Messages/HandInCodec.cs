using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>Updates that are handed in, and the answer, as bytes. What is read is checked before it is used.</summary>
internal static class HandInCodec
{
    // Far above what an instance makes: it keeps sums of numbers from running over.
    private const long MaxNumber = long.MaxValue >> 3;

    /// <summary>
    /// Writes as many of the oldest groups as fit. Null when not even the first one does, or it cannot be written.
    /// </summary>
    /// <param name="groups">The groups, oldest first.</param>
    /// <param name="update">The update of a place in the queue.</param>
    /// <param name="instance">Whose they are.</param>
    /// <param name="since">The version known.</param>
    /// <param name="gaps">Which are, or may be, in no version.</param>
    /// <param name="maxBytes">How many bytes of updates fit.</param>
    /// <param name="serializer">Writes an update.</param>
    internal static (ReadOnlyMemory<byte> Message, HandIn Head)? TryWrite<TUpdate>(
        IReadOnlyList<HandInGroup> groups, Func<int, TUpdate> update, long instance, long since, UpdateGaps? gaps, int maxBytes,
        IGeoSerializer serializer)
    {
        var (updates, one) = (new PayloadWriter(), new PayloadWriter());
        var (fits, next, length) = (0, 0, 0);
        foreach (var group in groups.Take(HandInRules.Offered(groups)))
        {
            if (!TryWriteGroup(group, ref next) || updates.Written.Length > maxBytes)
            {
                break;
            }

            fits++;
            length = updates.Written.Length;
        }

        if (fits == 0)
        {
            return null;
        }

        var head = new HandIn(instance, since, [.. groups.Take(fits)]) { Gaps = gaps };
        var writer = new PayloadWriter();
        writer.WriteByte((byte)CasMessage.HandIn);
        writer.WriteUnsigned((ulong)instance);
        writer.WriteUnsigned((ulong)since);
        UpdateGaps.Write(writer, gaps);
        writer.WriteUnsigned((ulong)fits);
        updates.Written.Span[..length].CopyTo(writer.GetSpan(length));
        writer.Advance(length);
        return (writer.Written, head);

        bool TryWriteGroup(HandInGroup group, ref int place)
        {
            updates.WriteUnsigned((ulong)group.First);
            updates.WriteUnsigned((ulong)group.Count);
            updates.WriteUnsigned(group.Expected is { } expected ? (ulong)expected + 1 : 0);
            try
            {
                for (var i = 0; i < group.Count; i++)
                {
                    one.Reset();
                    serializer.Serialize(update(place++), one);
                    updates.WriteBytes(one.Written.Span);
                }

                return true;
            }
            catch (Exception)
            {
                // A grain's updates need not be writable: its state is what is stored. The own write decides.
                return false;
            }
        }
    }

    /// <summary>Reads what follows the first byte.</summary>
    /// <exception cref="GeoSerializationException">It is no hand-in, or an update cannot be read.</exception>
    internal static (HandIn Head, TUpdate[] Updates) Read<TUpdate>(ReadOnlySpan<byte> payload, IGeoSerializer serializer)
    {
        var reader = new PayloadReader(payload);
        var (instance, since, gaps) = (
            CasMessages.ReadNumber(ref reader), CasMessages.ReadNumber(ref reader), UpdateGaps.Read(ref reader));
        var count = reader.ReadCount();
        var groups = ImmutableArray.CreateBuilder<HandInGroup>(count);
        var updates = new List<TUpdate>();
        var last = 0L;
        for (var i = 0; i < count; i++)
        {
            var first = CasMessages.ReadNumber(ref reader);
            var size = reader.ReadCount();
            var expected = CasMessages.ReadNumber(ref reader);
            if (size == 0 || first <= last || first > MaxNumber || expected > MaxNumber || (expected > 0 && i < count - 1))
            {
                throw new GeoSerializationException(
                    $"A hand-in has {size} updates from number {first} behind number {last}, or a condition in its midst; it was damaged.");
            }

            var group = new HandInGroup(first, size, expected == 0 ? null : expected - 1);
            last = group.Last;
            groups.Add(group);
            for (var j = 0; j < size; j++)
            {
                updates.Add(serializer.Deserialize<TUpdate>(reader.ReadBytes()));
            }
        }

        return instance > 0 && count > 0
            ? (new(instance, since, groups.MoveToImmutable()) { Gaps = gaps }, [.. updates])
            : throw new GeoSerializationException("A hand-in names no instance or has no updates; it was damaged.");
    }

    internal static ReadOnlyMemory<byte> WriteNotWriter(CasWriter writer)
    {
        var payload = new PayloadWriter();
        payload.WriteByte((byte)HandInAnswer.NotWriter);
        CasMessages.Write(payload, writer);
        return payload.Written;
    }

    /// <summary>True when the reply of an exchange says that updates that were handed in have been written.</summary>
    internal static bool SaysWritten(ReadOnlySpan<byte> reply) =>
        reply is [(byte)ExchangeReply.Answered, (byte)HandInAnswer.Written, ..];

    internal static ReadOnlyMemory<byte> WriteRefused() => new[] { (byte)HandInAnswer.Refused };
}

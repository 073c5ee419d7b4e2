using System.Buffers.Binary;

namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>What has been confirmed to anybody: it grows at its end, but for a stated loss.</summary>
internal sealed class ExploredHistory
{
    internal const int OpBytes = 16;

    internal ReadOnlyMemory<byte> Confirmed { get; private set; }

    /// <summary>How many stated losses there were.</summary>
    internal int Losses { get; private set; }

    internal int Length => Confirmed.Length / OpBytes;

    internal static byte[] With(ReadOnlySpan<byte> state, long instance, long sequence)
    {
        var next = new byte[state.Length + OpBytes];
        state.CopyTo(next);
        BinaryPrimitives.WriteInt64LittleEndian(next.AsSpan(state.Length), instance);
        BinaryPrimitives.WriteInt64LittleEndian(next.AsSpan(state.Length + 8), sequence);
        return next;
    }

    internal void Confirm(ReadOnlyMemory<byte> state)
    {
        var common = Math.Min(state.Length, Confirmed.Length);
        if (!state.Span[..common].SequenceEqual(Confirmed.Span[..common]))
        {
            throw new ExplorationException("confirmed histories differ");
        }

        if (state.Length > Confirmed.Length)
        {
            Confirmed = state;
            CheckOnce();
        }
    }

    internal bool Has(long instance, long sequence)
    {
        var sought = With([], instance, sequence);
        for (var rest = Confirmed.Span; !rest.IsEmpty; rest = rest[OpBytes..])
        {
            if (rest.StartsWith(sought))
            {
                return true;
            }
        }

        return false;
    }

    internal void Read(ExploredRead read, ReadOnlyMemory<byte> state)
    {
        if (read.Loss == Losses && state.Length / OpBytes < read.Length)
        {
            throw new ExplorationException("stale linearizable read");
        }

        Confirm(state);
    }

    /// <summary>What only a lost leader knew is lost, as its rule says.</summary>
    internal void Lose(int length)
    {
        Confirmed = Confirmed[..(length * OpBytes)];
        Losses++;
    }

    private void CheckOnce()
    {
        var last = new Dictionary<long, long>();
        for (var rest = Confirmed.Span; !rest.IsEmpty; rest = rest[OpBytes..])
        {
            var (instance, sequence) = (BinaryPrimitives.ReadInt64LittleEndian(rest), BinaryPrimitives.ReadInt64LittleEndian(rest[8..]));
            if (last.GetValueOrDefault(instance) >= sequence)
            {
                throw new ExplorationException("an update is there twice, or out of order");
            }

            last[instance] = sequence;
        }
    }
}

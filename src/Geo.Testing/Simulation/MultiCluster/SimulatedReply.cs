namespace Geo.Testing;

/// <summary>How a call of a simulated grain ended.</summary>
internal enum ReplyKind : byte
{
    /// <summary>As asked.</summary>
    Done,

    /// <summary>A condition did not hold; certainly no effect.</summary>
    Declined,

    /// <summary>Something needed cannot be reached; certainly no effect.</summary>
    Unavailable,

    /// <summary>The instance is not where the call was forwarded to; certainly no effect.</summary>
    NotHere,

    /// <summary>It may have taken effect, or may yet.</summary>
    Unknown,
}

/// <summary>The end of a call of a simulated grain.</summary>
internal sealed record SimulatedReply(ReplyKind Kind, LogPrefix Seen = default, IReadOnlyList<int>? Log = null)
{
    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Kind);
        writer.WriteSigned(Seen.Count);
        writer.WriteUnsigned(Seen.Hash);
        Write(writer, Log ?? []);
        return writer.ToArray();
    }

    public static SimulatedReply Decode(ReadOnlySpan<byte> bytes)
    {
        var reader = new PayloadReader(bytes);
        var kind = (ReplyKind)reader.ReadByte();
        var seen = new LogPrefix((int)reader.ReadSigned(), reader.ReadUnsigned());
        return new SimulatedReply(kind, seen, Read(ref reader));
    }

    internal static void Write(PayloadWriter writer, IReadOnlyList<int> updates)
    {
        writer.WriteUnsigned((ulong)updates.Count);
        foreach (var update in updates)
        {
            writer.WriteSigned(update);
        }
    }

    internal static IReadOnlyList<int> Read(ref PayloadReader reader)
    {
        var updates = new int[reader.ReadUnsigned()];
        for (var i = 0; i < updates.Length; i++)
        {
            updates[i] = (int)reader.ReadSigned();
        }

        return updates;
    }
}

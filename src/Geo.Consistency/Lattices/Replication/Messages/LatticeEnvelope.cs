using System.Buffers.Binary;

namespace Geo.Consistency.Lattices;

/// <summary>
/// A message between replicas as bytes: form version, kind, receiver, sender, the table of sources, and a body that all of it shares
/// (design 1.10). The receiver stands apart, so that a frame is written once for all.
/// </summary>
internal static class LatticeEnvelope
{
    /// <summary>The receiver's place where any replica of the cluster will do.</summary>
    internal static readonly ReplicaId Anyone;

    private const byte Version = 3;
    private const int HeadLength = 1 + 1 + 8 + 8;

    internal static byte[] Write(LatticeMessageKind kind, ReplicaId from, LatticeWriter body)
    {
        var table = new PayloadWriter();
        table.WriteUnsigned((ulong)body.Sources.Count);
        foreach (var source in body.Sources)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(table.GetSpan(8), source.Value);
            table.Advance(8);
        }

        var message = new byte[HeadLength + table.Written.Length + body.Body.Written.Length];
        (message[0], message[1]) = (Version, (byte)kind);
        BinaryPrimitives.WriteUInt64LittleEndian(message.AsSpan(10), from.Value);
        table.Written.Span.CopyTo(message.AsSpan(HeadLength));
        body.Body.Written.Span.CopyTo(message.AsSpan(HeadLength + table.Written.Length));
        return message;
    }

    /// <summary>The same message for one receiver.</summary>
    internal static byte[] For(ReplicaId to, byte[] message)
    {
        var addressed = message.ToArray();
        BinaryPrimitives.WriteUInt64LittleEndian(addressed.AsSpan(2), to.Value);
        return addressed;
    }

    /// <exception cref="GeoSerializationException">It is damaged, or of another version.</exception>
    internal static (LatticeMessageKind Kind, ReplicaId To, ReplicaId From) ReadHead(ReadOnlySpan<byte> message) =>
        message.Length >= HeadLength && message[0] == Version
            ? ((LatticeMessageKind)message[1], Id(message[2..]), Id(message[10..]))
            : throw LatticeReader.Damaged("is no message between replicas that this version of Geo can read");

    /// <exception cref="GeoSerializationException">It is damaged.</exception>
    internal static LatticeReader ReadBody(ReadOnlySpan<byte> message, LatticeLimits limits)
    {
        var table = new PayloadReader(message[HeadLength..]);
        var count = table.ReadCount();
        if (count > table.Rest.Length / 8)
        {
            throw LatticeReader.Damaged("is cut off within its table of sources");
        }

        var sources = new ReplicaId[count];
        for (var i = 0; i < count; i++)
        {
            sources[i] = Id(table.Rest[(i * 8)..]);
        }

        return new(new PayloadReader(table.Rest[(count * 8)..]), sources, limits.MaxDepth);
    }

    private static ReplicaId Id(ReadOnlySpan<byte> bytes) => new(BinaryPrimitives.ReadUInt64LittleEndian(bytes));
}

using System.Buffers.Binary;

namespace Geo.Consistency.Lattices;

/// <summary>
/// Marks as bytes, within a session token: the clock, whether they are whole, and of each source its identity and the two numbers.
/// </summary>
internal static class LatticeMarksCodec
{
    /// <summary>The most bytes that marks take: clock, flag, count, and of each source 8 bytes and two numbers of up to 9.</summary>
    internal const int MaxBytes = 8 + 1 + 1 + (LatticeMarks.MaxSources * (8 + 9 + 9));

    internal static void Write(PayloadWriter to, LatticeMarks marks)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(8), marks.Clock);
        to.Advance(8);
        to.WriteByte(marks.IsWhole ? (byte)1 : (byte)0);
        var sources = marks.Sources.ToArray();
        to.WriteByte((byte)sources.Length);
        foreach (var source in sources)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(to.GetSpan(8), source.Value);
            to.Advance(8);
            to.WriteUnsigned((ulong)marks.Reads[source]);
            to.WriteUnsigned((ulong)marks.Writes[source]);
        }
    }

    /// <exception cref="GeoSerializationException">They are damaged.</exception>
    internal static LatticeMarks Read(ref PayloadReader from)
    {
        var marks = LatticeMarks.None with { Clock = ReadFixed(ref from), IsWhole = from.ReadByte() != 0 };
        var count = from.ReadByte();
        if (count > LatticeMarks.MaxSources)
        {
            throw LatticeReader.Damaged("names more sources than a token holds");
        }

        for (var i = 0; i < count; i++)
        {
            var source = new ReplicaId(ReadFixed(ref from));
            marks = marks with
            {
                Reads = marks.Reads.Merge(VectorClock.Of(source, ReadNumber(ref from))),
                Writes = marks.Writes.Merge(VectorClock.Of(source, ReadNumber(ref from))),
            };
        }

        return marks;
    }

    private static ulong ReadFixed(ref PayloadReader from)
    {
        var value = 0UL;
        for (var i = 0; i < 64; i += 8)
        {
            value |= (ulong)from.ReadByte() << i;
        }

        return value;
    }

    private static long ReadNumber(ref PayloadReader from) => from.ReadUnsigned() is var number and <= long.MaxValue
        ? (long)number
        : throw LatticeReader.Damaged("holds a number over 63 bits");
}

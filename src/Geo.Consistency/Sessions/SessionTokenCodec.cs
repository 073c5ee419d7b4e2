using System.Buffers.Binary;
using System.Collections.Immutable;
using Geo.Consistency.Lattices;

namespace Geo.Consistency;

/// <summary>Session tokens as bytes: a head of two bytes (format and whether it is complete, number of marks), the marks,
/// and those of coordination-free grains where there are any.</summary>
internal static class SessionTokenCodec
{
    private const byte Format = 1;
    private const byte Incomplete = 0x80;
    private const int GrainBytes = 5;

    // Of pending updates: they are more than one.
    private const int Several = 1;

    internal static byte[] Write(ReadOnlySpan<SessionMark> marks, bool isIncomplete, LatticeMarks? lattices)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)(Format | (isIncomplete ? Incomplete : 0)));
        writer.WriteByte((byte)marks.Length);
        foreach (var mark in marks)
        {
            Write(writer, mark);
        }

        if (lattices is not null)
        {
            LatticeMarksCodec.Write(writer, lattices);
        }

        return writer.ToArray();
    }

    /// <summary>Reads a token from outside.</summary>
    internal static bool TryRead(
        ReadOnlySpan<byte> bytes, out ImmutableArray<SessionMark> marks, out bool isIncomplete, out LatticeMarks? lattices)
    {
        (marks, isIncomplete, lattices) = ([], false, null);
        try
        {
            var reader = new PayloadReader(bytes);
            var (head, count) = (reader.ReadByte(), reader.ReadByte());
            if ((head & ~Incomplete) != Format || count > SessionToken.MaxBytes / GrainBytes)
            {
                return false;
            }

            var read = ImmutableArray.CreateBuilder<SessionMark>(count);
            for (var i = 0; i < count; i++)
            {
                read.Add(Read(ref reader));
            }

            lattices = reader.Rest.IsEmpty ? null : LatticeMarksCodec.Read(ref reader);
            (marks, isIncomplete) = (read.MoveToImmutable(), (head & Incomplete) != 0);
            return reader.Rest.IsEmpty;
        }
        catch (GeoSerializationException)
        {
            return false;
        }
    }

    private static void Write(PayloadWriter writer, SessionMark mark)
    {
        Span<byte> grain = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(grain, mark.Grain);
        grain[^GrainBytes..].CopyTo(writer.GetSpan(GrainBytes));
        writer.Advance(GrainBytes);
        var first = mark.Kind == SessionMarkKind.Stored ? (ulong)mark.Version
            : mark.IsPending ? ((ulong)mark.Counter << 1) | (IsOne(mark) ? 0UL : Several)
            : (ulong)mark.Counter;
        writer.WriteUnsigned((first << 2) | (ulong)mark.Kind);
        for (var shift = OwnerBits(mark.Kind) - 8; shift >= 0; shift -= 8)
        {
            writer.WriteByte((byte)(mark.Owner >> shift));
        }

        if (mark.Kind == SessionMarkKind.Led)
        {
            writer.WriteUnsigned((ulong)mark.Version);
        }
        else if (mark.IsPending && !IsOne(mark))
        {
            writer.WriteUnsigned((ulong)(mark.Counter - mark.Version));
        }
    }

    private static SessionMark Read(ref PayloadReader reader)
    {
        var grain = 0UL;
        for (var i = 0; i < GrainBytes; i++)
        {
            grain = (grain << 8) | reader.ReadByte();
        }

        var first = reader.ReadUnsigned();
        var (kind, number) = ((SessionMarkKind)(first & 3), (long)(first >> 2));
        var owner = 0U;
        for (var bits = OwnerBits(kind); bits > 0; bits -= 8)
        {
            owner = (owner << 8) | reader.ReadByte();
        }

        return kind switch
        {
            SessionMarkKind.Stored => SessionMark.Stored(grain, number),
            SessionMarkKind.Led => new(grain, kind, number, owner, TermCodec.ReadNumber(ref reader)),
            _ => new(grain, kind, number >> 1, owner, FirstOf(number, ref reader)),
        };
    }

    /// <summary>The number of the first update, where that of the last has been read, and whether there is another.</summary>
    private static long FirstOf(long number, ref PayloadReader reader)
    {
        var others = (number & Several) == 0 ? 0 : TermCodec.ReadNumber(ref reader);
        return others < number >> 1 ? (number >> 1) - others
            : throw new GeoSerializationException($"A session token marks {others} updates before number {number >> 1}.");
    }

    private static bool IsOne(SessionMark mark) => mark.Version == mark.Counter;

    private static int OwnerBits(SessionMarkKind kind) => kind switch
    {
        SessionMarkKind.Stored => 0,
        SessionMarkKind.Led => 16,
        _ => 32,
    };
}

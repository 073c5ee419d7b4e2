namespace Geo.Consistency;

/// <summary>The messages by which a replica comes to lead, as bytes.</summary>
internal static class ElectionCodec
{
    internal static byte[] Write(Ask ask)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)LeaderMessage.Ask);
        TermCodec.Write(writer, ask.Term);
        writer.WriteUnsigned((ulong)ask.Configuration);
        TermCodec.Write(writer, ask.Names);
        TermCodec.Write(writer, ask.At);
        writer.WriteUnsigned((ulong)ask.Step);
        return writer.ToArray();
    }

    /// <summary>Reads what follows the message's first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a question.</exception>
    internal static Ask ReadAsk(ref PayloadReader reader)
    {
        var ask = new Ask(
            TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader), TermCodec.ReadNames(ref reader),
            TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader));
        return ask.Term.IsNone ? throw TermCodec.Damaged("asks for no term") : ask;
    }

    internal static byte[] Write(AskAnswer answer)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)((answer.IsGranted ? 1 : 0) | (answer.IsSeated ? 2 : 0)));
        TermCodec.Write(writer, answer.Promised);
        writer.WriteUnsigned((ulong)answer.Configuration);
        writer.WriteUnsigned((ulong)answer.Incarnation);
        TermCodec.Write(writer, answer.Known);
        TermCodec.Write(writer, answer.Log);
        return writer.ToArray();
    }

    /// <exception cref="GeoSerializationException">The bytes are not an answer.</exception>
    internal static AskAnswer ReadAnswer(ReadOnlySpan<byte> message)
    {
        var reader = new PayloadReader(message);
        var flags = reader.ReadByte();
        return flags > 3 ? throw TermCodec.Damaged("answers a candidate in an unknown way")
            : new(
                (flags & 1) != 0, TermCodec.ReadTerm(ref reader), TermCodec.ReadNumber(ref reader), TermCodec.ReadNumber(ref reader),
                (flags & 2) != 0, TermCodec.ReadNames(ref reader), TermCodec.ReadLog(ref reader));
    }

    internal static byte[] Write(TakeOver takeOver)
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)LeaderMessage.TakeOver);
        writer.WriteUnsigned((ulong)takeOver.Incarnation);
        TermCodec.Write(writer, takeOver.Highest);
        return writer.ToArray();
    }

    /// <summary>Reads what follows the message's first byte.</summary>
    /// <exception cref="GeoSerializationException">The bytes ask for nothing.</exception>
    internal static TakeOver ReadTakeOver(ref PayloadReader reader) =>
        new(TermCodec.ReadNumber(ref reader), TermCodec.ReadTerm(ref reader));
}

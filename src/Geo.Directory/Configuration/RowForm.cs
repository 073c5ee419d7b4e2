namespace Geo.Directory;

/// <summary>Tells rows of other builds from damaged ones.</summary>
internal static class RowForm
{
    // Forms are numbered one after the other; from here on bytes are text, or anything.
    private const byte Limit = 32;

    /// <summary>Why a row is not read that is expected to have a form.</summary>
    public static UnreadRow Judge(ReadOnlySpan<byte> bytes, byte form) =>
        bytes is not [> 0 and < Limit and var written, ..] || written == form ? UnreadRow.Damaged
        : written < form ? UnreadRow.Older
        : UnreadRow.Newer;
}

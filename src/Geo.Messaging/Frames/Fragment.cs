namespace Geo.Messaging;

/// <summary>
/// How a frame that is too large for one piece travels: cut, header and all, into fragments that carry one number and come in order.
/// </summary>
internal static class Fragment
{
    /// <summary>The most bytes of the whole frame in one fragment: with the fragment's own header 64 KiB.</summary>
    public const int MaxBytes = (64 * 1024) - FrameHeader.Size;
}

using System.Runtime.InteropServices;

namespace Geo.Consistency;

/// <summary>Bytes that are kept for long.</summary>
internal static class StateBytes
{
    private const int Slack = 64;

    /// <summary>The bytes without the buffer around them, where that is larger by more than they are.</summary>
    internal static ReadOnlyMemory<byte> Exact(ReadOnlyMemory<byte> bytes) =>
        MemoryMarshal.TryGetArray(bytes, out var buffer) && buffer.Array!.Length > (2 * bytes.Length) + Slack ? bytes.ToArray() : bytes;
}

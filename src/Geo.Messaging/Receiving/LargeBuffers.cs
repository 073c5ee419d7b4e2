using System.Buffers;
using System.Numerics;

namespace Geo.Messaging;

/// <summary>
/// The buffers of large messages, kept for reuse up to a bound in bytes whatever their sizes are: fresh memory costs more than what is done
/// with it. What nobody has needed for a while is let go.
/// </summary>
/// <remarks>
/// Here for its bound in bytes, which the shared pool does not have: six interleaved rounds of both on a busy machine showed no difference
/// at 1 and 8 MiB, and at 512 KiB less than their spread.
/// </remarks>
/// <param name="maxKeptBytes">The most bytes of buffers that are kept while nobody uses them.</param>
internal sealed class LargeBuffers(long maxKeptBytes) : ArrayPool<byte>
{
    private const int SmallestBits = 16;
    private const int SizesPerDoubling = 4;

    // What is let go at a time of what was not needed since the last time.
    private const int ShareLetGo = 8;

    private readonly Lock _lock = new();
    private readonly Dictionary<int, Kept> _bySize = [];
    private long _keptBytes;

    /// <summary>The bytes that are kept and not in use.</summary>
    public long KeptBytes => Volatile.Read(ref _keptBytes);

    /// <inheritdoc/>
    public override byte[] Rent(int minimumLength)
    {
        var size = SizeFor(minimumLength);
        lock (_lock)
        {
            if (_bySize.TryGetValue(size, out var kept) && kept.Buffers.TryPop(out var buffer))
            {
                kept.Least = Math.Min(kept.Least, kept.Buffers.Count);
                _keptBytes -= size;
                return buffer;
            }
        }

        return GC.AllocateUninitializedArray<byte>(size);
    }

    /// <inheritdoc/>
    public override void Return(byte[] array, bool clearArray = false)
    {
        if (clearArray)
        {
            Array.Clear(array);
        }

        lock (_lock)
        {
            if (array.Length == SizeFor(array.Length) && _keptBytes + array.Length <= maxKeptBytes)
            {
                _keptBytes += array.Length;
                if (!_bySize.TryGetValue(array.Length, out var kept))
                {
                    _bySize.Add(array.Length, kept = new Kept());
                }

                kept.Buffers.Push(array);
            }
        }
    }

    /// <summary>Lets some of what was not needed since the last call go; to be called now and then.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            foreach (var (size, kept) in _bySize)
            {
                for (var letGo = (kept.Least + ShareLetGo - 1) / ShareLetGo; letGo > 0; letGo--)
                {
                    kept.Buffers.Pop();
                    _keptBytes -= size;
                }

                kept.Least = kept.Buffers.Count;
            }
        }
    }

    // At most a quarter more than is asked for, and few sizes.
    private static int SizeFor(int bytes)
    {
        var step = 1 << (Math.Max(SmallestBits, BitOperations.Log2((uint)Math.Max(1, bytes - 1))) - BitOperations.Log2(SizesPerDoubling));
        return Math.Max(1 << SmallestBits, (int)Math.Min(Array.MaxLength, ((long)bytes + step - 1) / step * step));
    }

    private sealed class Kept
    {
        public Stack<byte[]> Buffers { get; } = new();

        /// <summary>The fewest buffers since the last trim.</summary>
        public int Least { get; set; }
    }
}

using System.Runtime.InteropServices;

namespace Geo.Emulation;

/// <summary>
/// Packets in the order in which they came, each with the time at which it is due, in one block of native memory. For one thread.
/// </summary>
internal sealed unsafe class PacketRing : IDisposable
{
    private const int RecordBytes = 16;
    private const int Alignment = 8;
    private const int Wrapped = -1;

    private readonly byte* _memory;
    private readonly int _capacity;
    private readonly int _maxPacketBytes;
    private int _head;
    private int _tail;
    private int _packets;

    /// <param name="capacity">The bytes of all packets and their records.</param>
    /// <param name="maxPacketBytes">The largest packet.</param>
    public PacketRing(int capacity, int maxPacketBytes)
    {
        (_capacity, _maxPacketBytes) = (capacity, maxPacketBytes);
        _memory = (byte*)NativeMemory.Alloc((nuint)capacity);
    }

    /// <summary>The packets in the ring.</summary>
    public int Count => _packets;

    /// <summary>A place for a packet of any size, to be given to <see cref="Commit"/>; null when there is no room.</summary>
    public byte* TryReserve()
    {
        var most = Align(RecordBytes + _maxPacketBytes);
        if (_packets == 0)
        {
            (_head, _tail) = (0, 0);
        }

        if (_tail >= _head && !(_packets > 0 && _tail == _head))
        {
            // One record's room is kept at the end for the mark that says where the ring wraps.
            if (_capacity - _tail >= most + RecordBytes)
            {
                return _memory + _tail + RecordBytes;
            }

            if (_head <= most)
            {
                return null;
            }

            RecordAt(_tail)->Bytes = Wrapped;
            _tail = 0;
        }

        return _head - _tail > most ? _memory + _tail + RecordBytes : null;
    }

    /// <summary>Appends the packet that was written to the reserved place.</summary>
    public void Commit(int bytes, long due)
    {
        var record = RecordAt(_tail);
        (record->Due, record->Bytes) = (due, bytes);
        _tail += Align(RecordBytes + bytes);
        _packets++;
    }

    /// <summary>The oldest packet; false when there is none. It stays until <see cref="Remove"/>.</summary>
    public bool TryPeek(out byte* packet, out int bytes, out long due)
    {
        packet = null;
        (bytes, due) = (0, 0);
        if (_packets == 0)
        {
            return false;
        }

        if (RecordAt(_head)->Bytes == Wrapped)
        {
            _head = 0;
        }

        var record = RecordAt(_head);
        packet = (byte*)(record + 1);
        (bytes, due) = (record->Bytes, record->Due);
        return true;
    }

    /// <summary>Removes the packet that <see cref="TryPeek"/> gave.</summary>
    public void Remove()
    {
        _head += Align(RecordBytes + RecordAt(_head)->Bytes);
        _packets--;
    }

    public void Dispose() => NativeMemory.Free(_memory);

    private static int Align(int bytes) => (bytes + Alignment - 1) & -Alignment;

    private Record* RecordAt(int offset) => (Record*)(_memory + offset);

    [StructLayout(LayoutKind.Sequential, Size = RecordBytes)]
    private struct Record
    {
        public long Due;
        public int Bytes;
    }
}

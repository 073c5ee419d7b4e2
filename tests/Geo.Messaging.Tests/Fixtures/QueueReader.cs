using System.Text;

namespace Geo.Messaging.Tests;

/// <summary>Plays the writer of a queue and says which messages it would have sent.</summary>
internal static class QueueReader
{
    public static SendOutcome Tell(this OutboundQueue queue, string text, int key = 0, string service = "s") =>
        queue.TryAppend(FrameKind.OneWay, 0, service, Encoding.UTF8.GetBytes(text), PartitionKey.From(key), out _);

    public static string[] Drain(this OutboundQueue queue)
    {
        List<string> messages = [];
        List<ArraySegment<byte>> batch = [];
        while (queue.TryTake(batch))
        {
            ReadOnlySpan<byte> bytes = batch.SelectMany(segment => segment).ToArray();
            while (!bytes.IsEmpty)
            {
                Assert.True(FrameHeader.TryRead(bytes, int.MaxValue, out var header, out var fault), fault);
                messages.Add(Encoding.UTF8.GetString(bytes.Slice(header.PayloadOffset, header.PayloadBytes)));
                bytes = bytes[header.FrameBytes..];
            }

            queue.Release();
        }

        return [.. messages];
    }
}

namespace Geo.Messaging.Tests;

/// <summary>Damages bytes that were sound.</summary>
internal static class Mutation
{
    /// <summary>One to three changes, most of them where lengths, kinds and tags are.</summary>
    public static byte[] Of(byte[] sound, Random random)
    {
        var bytes = (byte[])sound.Clone();
        for (var change = random.Next(1, 4); change > 0; change--)
        {
            bytes = Once(bytes, random);
        }

        return bytes;
    }

    /// <summary>One change.</summary>
    public static byte[] Once(byte[] bytes, Random random)
    {
        switch (random.Next(4))
        {
            case 0:
                bytes[random.Next(bytes.Length)] ^= (byte)(1 << random.Next(8));
                break;
            case 1:
                bytes[random.Next(Math.Min(48, bytes.Length))] = (byte)random.Next(256);
                break;
            case 2:
                bytes = bytes[..random.Next(1, bytes.Length + 1)];
                break;
            default:
                var from = random.Next(bytes.Length);
                random.NextBytes(bytes.AsSpan(from, random.Next(1, Math.Min(64, bytes.Length - from) + 1)));
                break;
        }

        return bytes;
    }
}

using System.Text.Json;
using Geo.Consistency.Lattices;

namespace Geo.Experiments.Lattices;

/// <summary>A value of many bytes, copied when it is written, as one that came with a request.</summary>
internal sealed record Block(byte[] Bytes)
{
    public const int Size = 1024;

    /// <summary>A copy.</summary>
    public static Block CopyOf(byte[] bytes) => new([.. bytes]);

    public bool Equals(Block? other) => other is not null && Bytes.AsSpan().SequenceEqual(other.Bytes);

    public override int GetHashCode() => Bytes.Length;

    /// <summary>How lattices carry it.</summary>
    internal sealed class Codec : ValueCodec<Block>
    {
        public override string Name => "block";

        public override int Compare(Block? x, Block? y) => x!.Bytes.AsSpan().SequenceCompareTo(y!.Bytes);

        public override void Write(Block value, LatticeWriter to)
        {
            ArgumentNullException.ThrowIfNull(to);
            to.Body.WriteBytes(value.Bytes);
        }

        public override Block Read(ref LatticeReader from) => new(from.Body.ReadBytes().ToArray());

        public override void WriteJson(Block value, Utf8JsonWriter to)
        {
            ArgumentNullException.ThrowIfNull(to);
            to.WriteBase64StringValue(value.Bytes);
        }

        public override Block ReadJson(JsonElement from) => new(from.GetBytesFromBase64());
    }
}

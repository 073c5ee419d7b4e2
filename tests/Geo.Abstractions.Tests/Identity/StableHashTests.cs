using System.Text;

namespace Geo.Abstractions.Tests.Identity;

public sealed class StableHashTests
{
    [Theory]
    [InlineData("", 0x0000000000000000, 0x0000000000000000)]
    [InlineData("hello", 0xcbd8a7b341bd9b02, 0x5b1e906a48ae1d19)]
    [InlineData("hello, world", 0x342fac623a5ebc8e, 0x4cdcbc079642414d)]
    [InlineData("19 Jan 2038 at 3:14:07 AM", 0xb89e5988b737affc, 0x664fc2950231b2cb)]
    [InlineData("The quick brown fox jumps over the lazy dog.", 0xcd99481f9ee902c9, 0x695da1a38987b6e7)]
    public void Known_vectors_of_MurmurHash3_x64_128_are_met(string text, ulong high, ulong low) =>
        Assert.Equal((high, low), StableHash.Hash128(Encoding.UTF8.GetBytes(text)));

    /// <summary>SMHasher's own verification, except for its seeds: every length of tail from 0 to 255 goes into one hash.</summary>
    [Fact]
    public void Every_length_gives_a_different_hash()
    {
        var data = new byte[256];
        var seen = new HashSet<(ulong, ulong)>();
        for (var length = 0; length < data.Length; length++)
        {
            Assert.True(seen.Add(StableHash.Hash128(data.AsSpan(0, length))), $"zeros of length {length} collide with a shorter run");
        }
    }

    [Fact]
    public void The_finalizer_is_a_bijection_on_a_sample_and_keeps_zero()
    {
        Assert.Equal(0ul, StableHash.Mix(0));
        Assert.Equal(100_000, Enumerable.Range(0, 100_000).Select(i => StableHash.Mix((ulong)i)).Distinct().Count());
    }
}

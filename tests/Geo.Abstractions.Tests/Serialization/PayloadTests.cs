namespace Geo.Abstractions.Tests.Serialization;

public sealed class PayloadTests
{
    [Theory]
    [InlineData(0ul, 1)]
    [InlineData(127ul, 1)]
    [InlineData(128ul, 2)]
    [InlineData(16383ul, 2)]
    [InlineData(16384ul, 3)]
    [InlineData(ulong.MaxValue / 2, 9)]
    [InlineData((ulong.MaxValue / 2) + 1, 10)]
    [InlineData(ulong.MaxValue, 10)]
    public void An_unsigned_integer_comes_back_from_as_few_bytes_as_stated(ulong value, int bytes)
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(value);

        var reader = new PayloadReader(writer.Written.Span);
        Assert.Equal(value, reader.ReadUnsigned());
        Assert.Equal(bytes, writer.Written.Length);
        Assert.True(reader.Rest.IsEmpty);
    }

    [Theory]
    [InlineData(0L, 1)]
    [InlineData(-1L, 1)]
    [InlineData(63L, 1)]
    [InlineData(-64L, 1)]
    [InlineData(64L, 2)]
    [InlineData(long.MaxValue, 10)]
    [InlineData(long.MinValue, 10)]
    public void A_signed_integer_comes_back_from_as_few_bytes_as_stated(long value, int bytes)
    {
        var writer = new PayloadWriter();
        writer.WriteSigned(value);

        var reader = new PayloadReader(writer.Written.Span);
        Assert.Equal(value, reader.ReadSigned());
        Assert.Equal(bytes, writer.Written.Length);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("a\0b")]
    [InlineData("ü中\U0001F600")]
    public void A_text_comes_back_and_null_is_not_empty(string? text)
    {
        var writer = new PayloadWriter();
        writer.WriteText(text);

        var reader = new PayloadReader(writer.Written.Span);
        Assert.Equal(text, reader.ReadText());
        Assert.True(reader.Rest.IsEmpty);
    }

    [Fact]
    public void Random_payloads_come_back_part_by_part()
    {
        var random = new Random(42);
        for (var round = 0; round < 200; round++)
        {
            var parts = Enumerable.Range(0, random.Next(1, 20)).Select(_ => Part.Any(random)).ToArray();
            var writer = Write(parts);

            var reader = new PayloadReader(writer.Written.Span);
            foreach (var part in parts)
            {
                part.CheckReadBack(ref reader);
            }

            Assert.True(reader.Rest.IsEmpty);
        }
    }

    [Fact]
    public void Damaged_payloads_are_refused_with_GeoSerializationException_or_read_as_other_values()
    {
        var random = new Random(43);
        var refused = 0;
        for (var round = 0; round < 20_000; round++)
        {
            var parts = Enumerable.Range(0, random.Next(1, 8)).Select(_ => Part.Any(random)).ToArray();
            var payload = Damage(Write(parts).ToArray(), random);
            try
            {
                var reader = new PayloadReader(payload);
                foreach (var part in parts)
                {
                    part.Read(ref reader);
                }
            }
            catch (GeoSerializationException)
            {
                refused++;
            }
        }

        Assert.InRange(refused, 1_000, 20_000);
    }

    [Fact]
    public void Every_truncation_of_a_payload_is_refused()
    {
        var writer = new PayloadWriter();
        writer.WriteText("some text");
        writer.WriteUnsigned(300);
        writer.WriteBytes([1, 2, 3]);
        writer.WriteByte(9);
        for (var length = 0; length < writer.Written.Length; length++)
        {
            var cut = writer.Written[..length].ToArray();
            Assert.Throws<GeoSerializationException>(() =>
            {
                var reader = new PayloadReader(cut);
                reader.ReadText();
                reader.ReadUnsigned();
                reader.ReadBytes();
                reader.ReadByte();
            });
        }
    }

    [Fact]
    public void A_length_beyond_what_is_there_is_refused_before_anything_is_allocated()
    {
        var writer = new PayloadWriter();
        writer.WriteUnsigned(ulong.MaxValue);
        var payload = writer.ToArray();

        Assert.Throws<GeoSerializationException>(() => new PayloadReader(payload).ReadText());
        Assert.Throws<GeoSerializationException>(() => new PayloadReader(payload).ReadBytes().Length);
        Assert.Throws<GeoSerializationException>(() => new PayloadReader(payload).ReadCount());
    }

    [Fact]
    public void An_integer_of_more_than_64_bits_is_refused()
    {
        byte[] eleven = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        byte[] tooLarge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];

        Assert.Throws<GeoSerializationException>(() => new PayloadReader(eleven).ReadUnsigned());
        Assert.Throws<GeoSerializationException>(() => new PayloadReader(tooLarge).ReadUnsigned());
    }

    [Fact]
    public void A_missing_text_is_refused_where_one_is_required()
    {
        var writer = new PayloadWriter();
        writer.WriteText(null);

        Assert.Throws<GeoSerializationException>(() => new PayloadReader(writer.Written.Span).ReadRequiredText());
    }

    [Fact]
    public void Text_that_UTF8_cannot_carry_is_refused_in_both_directions()
    {
        var writer = new PayloadWriter();
        Assert.Throws<GeoSerializationException>(() => writer.WriteText("a\ud800"));
        Assert.Equal(0, writer.Written.Length);
        Assert.Throws<GeoSerializationException>(() => new PayloadReader([2, 0xff]).ReadText());
    }

    [Fact]
    public void A_reset_writer_starts_again_and_a_copy_stays()
    {
        var writer = new PayloadWriter();
        writer.WriteByte(1);
        var copy = writer.ToArray();
        writer.Reset();
        writer.WriteByte(2);

        Assert.Equal([1], copy);
        Assert.Equal([2], writer.ToArray());
    }

    private static PayloadWriter Write(IEnumerable<Part> parts)
    {
        var writer = new PayloadWriter();
        foreach (var part in parts)
        {
            part.Write(writer);
        }

        return writer;
    }

    private static byte[] Damage(byte[] payload, Random random)
    {
        switch (random.Next(3))
        {
            case 0:
                return payload[..random.Next(payload.Length)];
            case 1:
                payload[random.Next(payload.Length)] ^= (byte)random.Next(1, 256);
                return payload;
            default:
                random.NextBytes(payload);
                return payload;
        }
    }

    /// <summary>One value of a payload: null stands for a missing text.</summary>
    private sealed record Part(object? Value)
    {
        public static Part Any(Random random)
        {
            var bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            return new Part(random.Next(6) switch
            {
                0 => (byte)random.Next(256),
                1 => (ulong)random.NextInt64() >> random.Next(64),
                2 => random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64),
                3 => Convert.ToBase64String(bytes) + "ü\U0001F600",
                4 => bytes,
                _ => null,
            });
        }

        public void Write(PayloadWriter writer)
        {
            switch (Value)
            {
                case byte value:
                    writer.WriteByte(value);
                    break;
                case ulong value:
                    writer.WriteUnsigned(value);
                    break;
                case long value:
                    writer.WriteSigned(value);
                    break;
                case byte[] value:
                    writer.WriteBytes(value);
                    break;
                default:
                    writer.WriteText((string?)Value);
                    break;
            }
        }

        public object? Read(ref PayloadReader reader) => Value switch
        {
            byte => reader.ReadByte(),
            ulong => reader.ReadUnsigned(),
            long => reader.ReadSigned(),
            byte[] => reader.ReadBytes().ToArray(),
            _ => reader.ReadText(),
        };

        public void CheckReadBack(ref PayloadReader reader) => Assert.Equal(Value, Read(ref reader));
    }
}

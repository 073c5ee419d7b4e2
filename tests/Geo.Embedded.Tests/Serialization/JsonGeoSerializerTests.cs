using System.Buffers;
using System.Text;
using System.Text.Json.Serialization;

namespace Geo.Embedded.Tests;

/// <summary>A type that checks what it is given, as types do, also where it is read.</summary>
public sealed class Picky
{
    private int _number;

    [JsonIgnore]
    public Exception? OnGet { get; set; }

    public int Number
    {
        get => OnGet is null ? _number : throw OnGet;
        set => _number = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value));
    }

    public static Picky Spoilt() => new() { _number = -1 };
}

public sealed class JsonGeoSerializerTests
{
    private readonly JsonGeoSerializer _serializer = new();

    [Fact]
    public void Derived_types_come_back_as_themselves_where_their_base_names_them()
    {
        StockEvent[] events = [new Added(1), new Noted("x")];
        Assert.Equal(events, RoundTrip(events));
    }

    [Fact]
    public void A_type_that_its_base_does_not_name_is_refused()
    {
        var error = Assert.Throws<GeoSerializationException>(() => RoundTrip<StockEvent>(new Unnamed()));
        Assert.Contains(nameof(StockEvent), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Tuples_and_fields_come_back()
    {
        Assert.Equal((1, "a", (2.5, true)), RoundTrip((1, "a", (2.5, true))));
        Assert.Equal(double.NaN, RoundTrip(double.NaN));
    }

    [Fact]
    public void What_is_no_json_of_the_type_says_which_type_was_wanted()
    {
        var error = Assert.Throws<GeoSerializationException>(() => _serializer.Deserialize<Profile>(Encoding.UTF8.GetBytes("[1")));
        Assert.Contains(typeof(Profile).FullName!, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_value_that_cannot_be_written_leaves_the_serializer_usable()
    {
        var cycle = new Box();
        cycle.Inner.Add(cycle);
        Assert.Throws<GeoSerializationException>(() => RoundTrip(cycle));
        Assert.Equal(3, RoundTrip(new Box { Value = 3 }).Value);
    }

    [Fact]
    public void What_the_code_of_a_type_throws_means_that_it_cannot_be_written_or_read()
    {
        Assert.Throws<GeoSerializationException>(() => RoundTrip(new Picky { OnGet = new ArgumentException("not this one") }));
        Assert.Throws<GeoSerializationException>(() => _serializer.Deserialize<Picky>("""{"Number":-1}"""u8));
        Assert.Equal(3, RoundTrip(new Picky { Number = 3 }).Number);
    }

    private T RoundTrip<T>(T value)
    {
        var buffer = new ArrayBufferWriter<byte>();
        _serializer.Serialize(value, buffer);
        return _serializer.Deserialize<T>(buffer.WrittenSpan);
    }

    private sealed record Unnamed : StockEvent;
}

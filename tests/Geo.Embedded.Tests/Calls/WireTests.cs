namespace Geo.Embedded.Tests;

public sealed class WireTests
{
    public static TheoryData<object> Values
    {
        get
        {
            object[] values =
            [
                "text", "", true, 7, -7L, 1.5, 2.50m, new Guid("11111111-2222-3333-4444-555555555555"),
                new DateTime(2030, 1, 2, 3, 4, 5, DateTimeKind.Utc), new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.FromHours(2)),
                TimeSpan.FromDays(-3), new byte[] { 1, 2 },
            ];
            var data = new TheoryData<object>();
            foreach (var value in values)
            {
                data.Add(value);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Values))]
    public void A_context_value_comes_back_as_it_was(object value)
    {
        var writer = new PayloadWriter();
        ContextValues.Write(writer, CallScope.NoValues.SetItem("a", value));
        var reader = new PayloadReader(writer.Written.Span);
        var values = ContextValues.Read(ref reader);
        Assert.Equal(value, Assert.Single(values).Value);
        Assert.True(reader.Rest.IsEmpty);
    }

    [Fact]
    public void Context_values_are_written_in_order_of_their_names()
    {
        var names = Enumerable.Range(0, 20).Select(i => $"n{i:D2}").ToArray();
        var writer = new PayloadWriter();
        ContextValues.Write(writer, CallScope.NoValues.SetItems(names.Select(n => KeyValuePair.Create<string, object>(n, ""))));

        var reader = new PayloadReader(writer.Written.Span);
        Assert.Equal(names.Length, reader.ReadCount());
        foreach (var name in names)
        {
            Assert.Equal(name, reader.ReadRequiredText());
            reader.ReadByte();
            reader.ReadRequiredText();
        }
    }

    [Fact]
    public void A_context_that_is_cut_off_or_of_an_unknown_kind_is_refused()
    {
        var writer = new PayloadWriter();
        ContextValues.Write(writer, CallScope.NoValues.SetItem("a", "text"));
        var bytes = writer.ToArray();
        for (var length = 0; length < bytes.Length; length++)
        {
            Assert.Throws<GeoSerializationException>(() => Read(bytes[..length]));
        }

        bytes[3] = 99;
        Assert.Throws<GeoSerializationException>(() => Read(bytes));

        static void Read(byte[] bytes)
        {
            var reader = new PayloadReader(bytes);
            ContextValues.Read(ref reader);
        }
    }

    [Fact]
    public void An_exception_comes_back_with_its_causes_and_never_as_a_type_that_was_not_declared()
    {
        var reply = CallReply.Failure(new InvalidOperationException("outer", new UndeclaredException("inner")));
        var reader = new PayloadReader(reply.Span);
        var read = Assert.IsType<InvalidOperationException>(CallReply.ReadSuccess(ref reader, new ExceptionTypes()));
        Assert.Equal("outer", read.Message);
        Assert.Equal(typeof(UndeclaredException).FullName, Assert.IsType<GeoRemoteException>(read.InnerException).RemoteType);
    }

    [Fact]
    public void An_undeclared_exception_that_passes_several_processes_keeps_its_first_name()
    {
        var types = new ExceptionTypes();
        Exception passed = new UndeclaredException("inner");
        for (var hop = 0; hop < 3; hop++)
        {
            var reader = new PayloadReader(CallReply.Failure(passed).Span);
            passed = CallReply.ReadSuccess(ref reader, types)!;
        }

        Assert.Equal($"{typeof(UndeclaredException).FullName}: inner", Assert.IsType<GeoRemoteException>(passed).Message);
    }

    [Fact]
    public void A_chain_at_its_limit_forgets_the_oldest_calls()
    {
        CallChain? chain = null;
        for (var i = 0; i < 20; i++)
        {
            chain = CallChain.Append(chain, new GrainKey("g", $"{i}"), "M", limit: 8);
            Assert.InRange(chain.Length, 1, 8);
        }

        Assert.EndsWith("g/18.M -> g/19.M", chain!.ToString(), StringComparison.Ordinal);
        Assert.True(chain.Includes(new GrainKey("g", "19")));
        Assert.False(chain.Includes(new GrainKey("g", "0")));
    }
}

using System.Reflection;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Geo.Testing.Tests;

/// <summary>Lists the calls of members of other assemblies that the code of an assembly makes, with the method that makes each.</summary>
internal static class CallScanner
{
    private static readonly Dictionary<int, OpCode> OpCodesByValue = typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(f => (OpCode)f.GetValue(null)!).ToDictionary(o => o.Value & 0xFFFF);

    public static IEnumerable<Call> CallsOf(Assembly assembly)
    {
        using var file = new PEReader(File.OpenRead(assembly.Location));
        var metadata = file.GetMetadataReader();
        foreach (var handle in metadata.MethodDefinitions)
        {
            var method = metadata.GetMethodDefinition(handle);
            if (method.RelativeVirtualAddress == 0)
            {
                continue;
            }

            var caller = $"{OutermostTypeOf(metadata, method.GetDeclaringType())}.{NameOf(metadata, method)}";
            foreach (var call in CallsIn(metadata, file.GetMethodBody(method.RelativeVirtualAddress).GetILReader()))
            {
                yield return call with { Caller = caller };
            }
        }
    }

    private static List<Call> CallsIn(MetadataReader metadata, BlobReader il)
    {
        var calls = new List<Call>();
        var before = OpCodes.Nop;
        while (il.RemainingBytes > 0)
        {
            int value = il.ReadByte();
            var code = OpCodesByValue[value == 0xFE ? (value << 8) | il.ReadByte() : value];
            if (code.OperandType is OperandType.InlineMethod or OperandType.InlineTok)
            {
                if (Resolve(metadata, MetadataTokens.EntityHandle(il.ReadInt32())) is { } called)
                {
                    calls.Add(called with { AfterFalse = before == OpCodes.Ldc_I4_0 });
                }
            }
            else
            {
                il.Offset += OperandSize(code, il);
            }

            before = code;
        }

        return calls;
    }

    private static Call? Resolve(MetadataReader metadata, EntityHandle token)
    {
        if (token.Kind == HandleKind.MethodSpecification)
        {
            token = metadata.GetMethodSpecification((MethodSpecificationHandle)token).Method;
        }

        if (token.Kind != HandleKind.MemberReference)
        {
            return null;
        }

        var member = metadata.GetMemberReference((MemberReferenceHandle)token);
        if (member.GetKind() != MemberReferenceKind.Method || TypeOf(metadata, member.Parent) is not { } type)
        {
            return null;
        }

        var parameters = member.DecodeMethodSignature(new TypeNames(), null).ParameterTypes;
        return new Call("", type, metadata.GetString(member.Name), parameters, AfterFalse: false);
    }

    private static string? TypeOf(MetadataReader metadata, EntityHandle parent) => parent.Kind switch
    {
        HandleKind.TypeReference => TypeNames.Name(metadata, (TypeReferenceHandle)parent),
        HandleKind.TypeSpecification => metadata.GetTypeSpecification((TypeSpecificationHandle)parent)
            .DecodeSignature(new TypeNames(), null),
        _ => null,
    };

    /// <summary>Compiler-made types count as the one that was written.</summary>
    private static string OutermostTypeOf(MetadataReader metadata, TypeDefinitionHandle handle)
    {
        var type = metadata.GetTypeDefinition(handle);
        while (!type.GetDeclaringType().IsNil)
        {
            type = metadata.GetTypeDefinition(type.GetDeclaringType());
        }

        return metadata.GetString(type.Name);
    }

    /// <summary>The method as written: that of an async method's state machine is "&lt;RunAsync&gt;d__3.MoveNext".</summary>
    private static string NameOf(MetadataReader metadata, MethodDefinition method)
    {
        var name = metadata.GetString(method.Name);
        var type = metadata.GetString(metadata.GetTypeDefinition(method.GetDeclaringType()).Name);
        var made = type.StartsWith('<') && type.IndexOf('>', StringComparison.Ordinal) > 1 ? type : name;
        return made.StartsWith('<') && made.IndexOf('>', StringComparison.Ordinal) > 1
            ? made[1..made.IndexOf('>', StringComparison.Ordinal)]
            : name;
    }

    private static int OperandSize(OpCode code, BlobReader il) => code.OperandType switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + (4 * il.ReadInt32()),
        _ => 4,
    };

    /// <summary>A call of a member of another assembly.</summary>
    /// <param name="Caller">The type and method that make it.</param>
    /// <param name="Type">The type of the member, with its namespace.</param>
    /// <param name="Member">The member.</param>
    /// <param name="Parameters">The types of its parameters.</param>
    /// <param name="AfterFalse">True when the last argument is the constant false (or 0).</param>
    internal sealed record Call(string Caller, string Type, string Member, IReadOnlyList<string> Parameters, bool AfterFalse)
    {
        public override string ToString() => $"{Caller} calls {Type}.{Member}({string.Join(", ", Parameters)})";
    }

    private sealed class TypeNames : ISignatureTypeProvider<string, object?>
    {
        public static string Name(MetadataReader metadata, TypeReferenceHandle handle)
        {
            var type = metadata.GetTypeReference(handle);
            var name = metadata.GetString(type.Name);
            return type.ResolutionScope.Kind == HandleKind.TypeReference
                ? $"{Name(metadata, (TypeReferenceHandle)type.ResolutionScope)}+{name}"
                : $"{metadata.GetString(type.Namespace)}.{name}";
        }

        public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => Name(reader, handle);

        public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
            reader.GetString(reader.GetTypeDefinition(handle).Name);

        public string GetTypeFromSpecification(
            MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
            reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

        public string GetPrimitiveType(PrimitiveTypeCode typeCode) => $"System.{typeCode}";

        public string GetSZArrayType(string elementType) => $"{elementType}[]";

        public string GetArrayType(string elementType, ArrayShape shape) => $"{elementType}[,]";

        public string GetByReferenceType(string elementType) => $"{elementType}&";

        public string GetPointerType(string elementType) => $"{elementType}*";

        public string GetPinnedType(string elementType) => elementType;

        public string GetGenericInstantiation(string genericType, System.Collections.Immutable.ImmutableArray<string> typeArguments) =>
            genericType;

        public string GetGenericMethodParameter(object? genericContext, int index) => $"!!{index}";

        public string GetGenericTypeParameter(object? genericContext, int index) => $"!{index}";

        public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) => unmodifiedType;

        public string GetFunctionPointerType(MethodSignature<string> signature) => "function";
    }
}
